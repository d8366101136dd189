/** The allowed connections. */
import { isDeepStrictEqual } from 'node:util';
import ipaddr from 'ipaddr.js';
import { labelsOf, workloadsOf, type Manifest } from './manifests';
import { nameOf, ofKind, selects, type Rule, type Selector } from './rule';

interface Peer {
  ipBlock?: { cidr: string; except?: string[] };
  namespaceSelector?: Selector;
}

interface Flow {
  from?: Peer[];
  to?: Peer[];
  ports?: { port: string | number }[];
}

interface Policy extends Manifest {
  spec: { podSelector: Selector; policyTypes: string[]; ingress?: Flow[]; egress?: Flow[] };
}

interface PublicService {
  selector: Record<string, string>;
  ports: { targetPort: string | number }[];
  clusterIP?: string;
}

const opsPorts = ['ops', 'temporal', 3100, 9464, 9465];
/** The clouds' metadata addresses, and addresses that only this network has. */
const closedAddresses = [
  '169.254.169.254',
  'fd00:ec2::254',
  '10.1.2.3',
  '172.31.0.1',
  '192.168.1.1',
  '100.64.0.1',
];

const policiesOf = (objects: Manifest[]) => ofKind(objects, 'NetworkPolicy') as Policy[];

function holds(cidr: string, address: string): boolean {
  const [start, bits] = ipaddr.parseCIDR(cidr);
  const asked = ipaddr.parse(address);
  return asked.kind() === start.kind() && asked.match(start, bits);
}

export const networkRules: Record<string, Rule> = {
  'all connections without a policy are closed, in both directions': (objects) => {
    const closes = policiesOf(objects).some(
      ({ spec }) =>
        isDeepStrictEqual(spec.podSelector, {}) &&
        isDeepStrictEqual(spec.policyTypes, ['Ingress', 'Egress']) &&
        spec.ingress === undefined &&
        spec.egress === undefined,
    );
    return closes ? [] : ['no policy closes the namespace'];
  },

  'every pod may reach the database, and those that need Temporal reach it': (objects) =>
    workloadsOf(objects).flatMap((workload) => {
      const needed = workload.kind === 'Job' ? [3306] : [3306, 7233, 443];
      const open = policiesOf(objects)
        .filter(({ spec }) => selects(spec.podSelector, labelsOf(workload)))
        .flatMap(({ spec }) =>
          (spec.egress ?? []).flatMap(({ ports = [] }) => ports.map(({ port }) => port)),
        );
      return needed
        .filter((port) => !open.includes(port))
        .map((port) => `${nameOf(workload)}: ${String(port)}`);
    }),

  'no policy allows private addresses or cloud metadata addresses': (objects) =>
    policiesOf(objects)
      .filter(({ spec }) =>
        (spec.egress ?? []).some(
          ({ to }) =>
            // No peer means every peer.
            to === undefined ||
            to.some(
              ({ ipBlock }) =>
                ipBlock !== undefined &&
                closedAddresses.some(
                  (address) =>
                    holds(ipBlock.cidr, address) &&
                    !(ipBlock.except ?? []).some((cidr) => holds(cidr, address)),
                ),
            ),
        ),
      )
      .map(nameOf),

  'a route to one of our services reaches the pods behind it': (objects) =>
    ofKind(objects, 'Service')
      .filter(({ spec }) => {
        const { selector, ports, clusterIP } = spec as unknown as PublicService;
        const isOpen = policiesOf(objects).some(
          ({ spec: policy }) =>
            selects(policy.podSelector, selector) &&
            (policy.ingress ?? []).some((flow) =>
              ports.every(({ targetPort }) => flow.ports?.some(({ port }) => port === targetPort)),
            ),
        );
        return clusterIP !== 'None' && !isOpen;
      })
      .map(nameOf),

  'operations ports are only for Prometheus': (objects) => [
    ...policiesOf(objects)
      .filter(({ spec }) =>
        (spec.ingress ?? []).some(
          ({ from, ports }) =>
            from === undefined ||
            ports === undefined ||
            (ports.some(({ port }) => opsPorts.includes(port)) &&
              from.some(
                ({ namespaceSelector }) =>
                  namespaceSelector?.matchLabels?.['kubernetes.io/metadata.name'] !== 'monitoring',
              )),
        ),
      )
      .map(nameOf),
    ...ofKind(objects, 'Service')
      .filter(({ spec }) => {
        const ports = (spec?.['ports'] ?? []) as { targetPort: string | number }[];
        const isOps = ports.some(({ targetPort }) => opsPorts.includes(targetPort));
        return (isOps && spec?.['clusterIP'] !== 'None') || spec?.['type'] !== undefined;
      })
      .map(nameOf),
    ...ofKind(objects, 'Ingress', 'HTTPRoute')
      .filter(({ spec }) => /malipo-ops|"ops"|3100/.test(JSON.stringify(spec)))
      .map(nameOf),
  ],
};
