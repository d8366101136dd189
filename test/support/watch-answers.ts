/** Runs before each test file: every answer that it fetches from the API must match the description. */
import { refuseUndescribed } from './described-answers';

const { fetch: plainFetch } = globalThis;

globalThis.fetch = async (input, init) => {
  const response = await plainFetch(input, init);
  await refuseUndescribed(response.url, {
    method: init?.method ?? 'GET',
    status: response.status,
    header: (name) => response.headers.get(name),
    // A copy: the test reads the answer itself. An aborted answer is left to the test.
    text: () => response.clone().text(),
  });
  return response;
};
