/**
 * Node ends workflow code that runs for longer than this. The SDK's 5 s also pass while the machine sleeps or the process
 * is frozen, and code that is ended right then may take the whole process along ("async hook stack has become
 * corrupted"). Ours never runs for long; the SDK takes the setting, and its types do not name it.
 */
export const survivesFreezes = { isolateExecutionTimeout: '30 minutes' };
