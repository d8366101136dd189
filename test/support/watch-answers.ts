/** Run before each file of tests: whatever it fetches from the API has to be as the description says. */
import { faultsOfAnswer } from './described-answers';

const { fetch: plainFetch } = globalThis;

globalThis.fetch = async (input, init) => {
  const response = await plainFetch(input, init);
  const { url } = response;
  const method = init?.method ?? 'GET';
  const { pathname: path } = new URL(url);
  // Operators and workers have one of their own on other ports.
  if (path === '/healthz') return response;
  const faults = await faultsOfAnswer({
    method,
    path,
    status: response.status,
    header: (name) => response.headers.get(name),
    // A copy: the test reads the answer itself. One that breaks off is the test's affair.
    text: () => response.clone().text(),
  });
  if (faults.length === 0) return response;
  throw new Error(
    `${method} ${url} was answered otherwise than docs/openapi.json says (is it current? npm run openapi):\n- ${faults.join('\n- ')}`,
  );
};
