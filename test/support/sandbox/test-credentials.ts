import { providerNames, simulatedProviders } from '../../../tools/sandbox/simulated-providers';

/** For every simulated provider, one value of each credential; tests that look at a value set their own. */
export function testCredentials(): Record<string, string> {
  return Object.fromEntries(
    providerNames.flatMap((name) =>
      Object.entries(simulatedProviders[name].credentials).map(([credential, variable]) => [
        variable,
        `test-${name}-${credential}`,
      ]),
    ),
  );
}
