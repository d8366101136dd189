import { providerNames, simulatedProviders } from '../../../tools/sandbox/simulated-providers';

/** One value of each credential for every simulated provider; tests that check a value set their own. */
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
