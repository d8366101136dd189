/** The frameworks of PHP whose requests the client's webhooks are tested with: Debian's packages, unpacked in our cache. */
import { canFetchPackages, findUnpacked, unpackPackages, type Unpacked } from './debian-packages';

/** The frameworks, and the packages whose classes their requests load. */
const packages = `
  php-symfony-http-foundation php-illuminate-http php-nyholm-psr7 php-guzzlehttp-psr7 wordpress

  php-illuminate-collections php-illuminate-contracts php-illuminate-macroable php-illuminate-support
  php-psr-container php-psr-simple-cache php-psr-http-factory php-psr-http-message php-http-message-factory
  php-symfony-deprecation-contracts php-symfony-http-kernel php-symfony-mime php-illuminate-session
  php-illuminate-filesystem php-symfony-finder php-symfony-error-handler php-symfony-event-dispatcher
  php-symfony-event-dispatcher-contracts php-symfony-translation php-symfony-translation-contracts
  php-symfony-var-dumper php-psr-event-dispatcher php-psr-log php-getallheaders php-doctrine-inflector
  php-nesbot-carbon php-voku-portable-ascii
`
  .trim()
  .split(/\s+/);

export const findPhpFrameworks = (): Unpacked | undefined => findUnpacked(packages);

/** Undefined where there are no such packages. */
export async function findOrFetchPhpFrameworks(): Promise<Unpacked | undefined> {
  return canFetchPackages() ? unpackPackages(packages) : undefined;
}
