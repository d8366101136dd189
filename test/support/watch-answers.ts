/** Run before each file of tests: whatever it fetches from the API has to be as the description says. */
import { refuseUndescribed } from './described-answers';

const { fetch: plainFetch } = globalThis;

globalThis.fetch = async (input, init) => {
  const response = await plainFetch(input, init);
  await refuseUndescribed(response.url, {
    method: init?.method ?? 'GET',
    status: response.status,
    header: (name) => response.headers.get(name),
    // A copy: the test reads the answer itself. One that breaks off is the test's affair.
    text: () => response.clone().text(),
  });
  return response;
};
