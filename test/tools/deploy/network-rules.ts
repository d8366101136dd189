/** Who may talk to whom. */
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
/** Where clouds tell the secrets of a machine, and addresses that only this network has. */
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
  'what no policy opens is closed, in both directions': (objects) => {
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

  'no policy opens the way to private addresses, or to where a cloud tells its secrets': (objects) =>
    policiesOf(objects)
      .filter(({ spec }) =>
        (spec.egress ?? []).some(
          ({ to }) =>
            // No peer is every peer.
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

  'where an ingress asks for a certificate, the pod that proves the host is reached': (objects) => {
    const solver = { 'acme.cert-manager.io/http01-solver': 'true' };
    const isOpen = policiesOf(objects).some(
      ({ spec }) =>
        selects(spec.podSelector, solver) &&
        (spec.ingress ?? []).some(({ ports = [] }) => ports.some(({ port }) => port === 8089)),
    );
    return ofKind(objects, 'Ingress')
      .filter(({ metadata }) => !isOpen && 'cert-manager.io/cluster-issuer' in (metadata.annotations ?? {}))
      .map(nameOf);
  },

  'where a service of its own is led to, the pods behind it are reached': (objects) =>
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

  'operations ports are for Prometheus alone': (objects) => [
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
