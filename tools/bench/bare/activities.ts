/** They wait for nothing: the rest is the cost of Temporal. */
export async function submit(): Promise<string> {
  return 'accepted';
}

export async function settle(): Promise<string> {
  return 'succeeded';
}
