/** They wait for nothing: what is left is what Temporal costs. */
export async function initiate(): Promise<string> {
  return 'accepted';
}

export async function settle(): Promise<string> {
  return 'succeeded';
}
