/**
 * Temporal's SDK remembers of each promise in a workflow where it was made, which its stack-trace query tells: frame by
 * frame, looked up in source maps. Of four frames the first is the SDK's own, and the others say where a workflow waits.
 * Errors of workflows tell no more either. No command depends on it.
 *
 * The bundler is told to load this before any workflow is there: afterwards globals are frozen.
 */
Error.stackTraceLimit = 4;
