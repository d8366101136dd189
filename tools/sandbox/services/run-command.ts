import { spawn } from 'node:child_process';

const tailLines = 25;

export interface CommandOptions {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** The command's standard input; by default empty. */
  input?: string;
  /** Ends the command after this many milliseconds, as a failure. */
  timeout?: number;
}

/** Runs a command to its end. @throws an Error with the last lines of its output if it fails. */
export async function runCommand(
  command: string,
  args: string[],
  options: CommandOptions = {},
): Promise<string> {
  const { code, output } = await tryCommand(command, args, options);
  if (code === 0) return output;
  const tail = output.trimEnd().split('\n').slice(-tailLines).join('\n  ');
  throw new Error(`${[command, ...args].join(' ')} ended with ${String(code)}:\n  ${tail}`);
}

/** Like {@link runCommand}, but returns a failure. */
export function tryCommand(
  command: string,
  args: string[],
  options: CommandOptions = {},
): Promise<{ code: number | string; output: string }> {
  return new Promise((resolve) => {
    const { input, ...others } = options;
    const child = spawn(command, args, { ...others, stdio: ['pipe', 'pipe', 'pipe'] });
    // A command that ends before it has read all its input reports that by its exit code.
    child.stdin.on('error', () => undefined).end(input);
    let output = '';
    const keep = (chunk: Buffer) => {
      // Package managers print for minutes; only the end is ever shown.
      output = (output + chunk.toString()).slice(-200_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error) => {
      resolve({ code: 'error', output: error.message });
    });
    // If we end first, a package manager must not continue alone.
    const endToo = () => child.kill('SIGTERM');
    process.once('exit', endToo);
    child.once('close', (code, signal) => {
      process.off('exit', endToo);
      resolve({ code: code ?? signal ?? 'unknown', output });
    });
  });
}
