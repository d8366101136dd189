/** Groups processor time by the code that was running. */
import type { CallFrame } from './cpu-profile';
import type { ModuleOf } from './modules';

interface Place {
  group: string;
  /** A pattern of the module's path. */
  module: RegExp;
  /** A pattern of the function's name; by default any. */
  named?: RegExp;
}

export const idle = 'idle';
const unknown = 'what has no name';

const package_ = (names: string) => new RegExp(`(^|/)node_modules/(${names})/`);

/** Everything that these call belongs to them; the outermost counts. */
const wholes: readonly Place[] = [
  {
    group: 'stacks of promises',
    module: /@temporalio\/worker\/lib\/workflow\/vm-shared/,
    named: /^(init|settled|getActivator|Error\.prepareStackTrace)$/,
  },
  { group: 'stacks of promises', module: /^node:internal\/promise_hooks/ },
  { group: 'logging', module: package_('winston|logform') },
  { group: 'logging', module: /^dist\/src\/ops\/logging/ },
  { group: 'figures for Prometheus', module: package_('prom-client') },
  { group: 'loading code', module: /^node:internal\/modules/ },
];

/** Otherwise the innermost of these calls counts: Node's work belongs to its caller. */
const places: readonly Place[] = [
  { group: idle, module: /^$/, named: /^\(idle\)$/ },
  { group: 'garbage collection', module: /^$/, named: /^\(garbage collector\)$/ },
  { group: 'native code', module: /^$/, named: /^\(program\)$/ },
  { group: 'entering the sandbox', module: /^node:vm$|^evalmachine\./ },
  { group: 'entering the sandbox', module: /@temporalio\/worker\/lib\/workflow\/reusable-vm/ },
  { group: 'protobuf', module: package_('protobufjs|@protobufjs|@temporalio/proto|long') },
  { group: 'gRPC', module: package_('@grpc') },
  { group: 'gRPC', module: /^node:internal\/http2/ },
  { group: "calls into Temporal's core", module: package_('@temporalio/core-bridge') },
  { group: 'Temporal within the sandbox', module: package_('@temporalio/workflow') },
  { group: 'Temporal', module: package_('@temporalio') },
  { group: 'our workflows', module: /^dist\/workflows\// },
  {
    group: 'MySQL',
    module: package_('mysql2|sql-escaper|sqlstring|denque|named-placeholders|lru\\.min|iconv-lite'),
  },
  { group: 'knex', module: package_('knex|tarn|lodash') },
  { group: 'checking requests', module: package_('joi|@hapi|@standard-schema|libphonenumber-js') },
  { group: 'HTTP, as a client', module: package_('undici') },
  {
    group: 'HTTP, as a server',
    module: package_('express|router|body-parser|helmet|finalhandler|raw-body|qs|etag|fresh'),
  },
  { group: 'HTTP, as a server', module: /^node:_http/ },
  { group: 'JSON', module: package_('lossless-json') },
  { group: 'cryptography', module: /^node:internal\/crypto/ },
  {
    group: 'cryptography',
    module: package_('http-message-signatures|standardwebhooks|node-forge|@stablelib'),
  },
  { group: 'our own code', module: /^dist\/(src|activities|simulator|bench)\// },
];

/** For stacks without any of the calls above. */
const leftovers: readonly Place[] = [
  { group: 'sockets', module: /^node:(net|internal\/(stream|streams)|internal\/stream_base)/ },
  { group: 'Node itself', module: /^(node:.*)?$/ },
];

/** @param stack from the innermost call outwards */
export function groupOf(stack: readonly CallFrame[], moduleOf: ModuleOf): string {
  const calls = stack
    .filter(({ functionName }) => functionName !== '(root)')
    .map((frame) => ({ name: frame.functionName, module: moduleOf(frame) }));
  for (const [candidates, order] of [
    [wholes, calls.toReversed()],
    [places, calls],
    [leftovers, calls],
  ] as const) {
    for (const { name, module } of order) {
      const place = candidates.find((one) => one.module.test(module) && (one.named?.test(name) ?? true));
      if (place) return place.group;
    }
  }
  return unknown;
}
