/** Reads single key presses; in a terminal without waiting for the end of a line. */
export function keyPresses(press: (key: string) => void): () => void {
  const { stdin } = process;
  const isPerson = stdin.isTTY;
  if (isPerson) stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  const hear = (text: string): void => {
    for (const key of text) press(key);
  };
  stdin.on('data', hear);
  return () => {
    stdin.off('data', hear);
    if (isPerson) stdin.setRawMode(false);
    stdin.pause();
  };
}
