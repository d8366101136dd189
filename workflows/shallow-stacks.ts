/**
 * Temporal's SDK records for each promise in a workflow where it was created, for its stack-trace query: frame by
 * frame, resolved with source maps. With four frames the first is the SDK's own, and the others show where a workflow
 * waits. Errors of workflows have four frames, too. No command depends on the number.
 * The bundler must load this file before any workflow: later the globals are frozen.
 */
Error.stackTraceLimit = 4;
