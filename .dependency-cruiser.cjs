/**
 * Dependencies run one way: cli → operator-actions, portal, worker, verify → api, activities → rails, vouchers → payments, floats → rail-kit → controls, fees → ledger, events, webhooks, merchants, users, fx, mail → store → tracing → domain.
 * Types count like values, save in the rule against cycles: two modules may know each other's shapes.
 */
const npm = (...names) => `^node_modules/(?:${names.join('|')})/`;

/** From the top down. A layer may import itself and what stands below it. */
const layers = [
  {
    name: 'cli-or-process',
    path: '^src/(?:cli/|migrate\\.ts|server\\.ts|worker\\.ts|portal-server\\.ts)',
  },
  {
    name: 'operator-actions-portal-worker-verify-process-or-telemetry',
    path: '^src/(?:operator-actions|portal|worker|verify|process|telemetry/(?!tracing/))/?',
  },
  { name: 'api-or-activities', path: '^(?:src/api|activities)/' },
  { name: 'rails-or-vouchers', path: '^src/(?:rails|vouchers)/' },
  { name: 'payments', path: '^src/(?:payments|floats|rail-kit)/' },
  {
    name: 'controls-fees-statements-or-reconciliation',
    path: '^src/(?:controls|fees|statements|reconciliation)/',
  },
  {
    name: 'ledger-events-webhooks-merchants-users-fx-or-mail',
    path: '^src/(?:ledger|events|webhooks|merchants|users|fx|mail)/',
  },
  { name: 'store', path: '^src/store/' },
  { name: 'tracing', path: '^src/telemetry/tracing/' },
  { name: 'config', path: '^src/(?:config|secret-files)\\.ts' },
  { name: 'domain', path: '^src/domain/' },
];

/** The rooms of the layer of payments, from the top down: one idea each. */
const rooms = [
  ...['recovery', 'create', 'resolve', 'submit', 'transition', 'read'].map((name) => ({
    name: `payments-${name}`,
    path: `^src/payments/${name}/`,
  })),
  { name: 'rail-kit', path: '^src/rail-kit/' },
];

const noStepsBack = (of) =>
  of.slice(1).map(({ name, path }, index) => ({
    name: `no-step-back-from-${name}`,
    comment: 'A layer imports itself and what stands below it. Move what both need down, or pass it in.',
    severity: 'error',
    from: { path },
    to: { path: of.slice(0, index + 1).map((above) => above.path) },
  }));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...noStepsBack(layers),
    ...noStepsBack(rooms),
    {
      name: 'actions-know-no-front',
      comment:
        'The command line, the portal and approvals call actions; actions know mails and words, and no page.',
      severity: 'error',
      from: { path: '^src/operator-actions/' },
      to: { path: '^src/portal/(?!mails\\.ts|format\\.ts)' },
    },
    {
      name: 'payments-have-rooms',
      comment: 'A module about payments belongs into the room of its idea: see src/payments/README.md.',
      severity: 'error',
      from: {},
      to: { path: '^src/payments/[^/]+\\.ts$' },
    },
    {
      name: 'api-and-activities-are-apart',
      comment: 'The API and the worker are two processes; what they share lies in the rails and below.',
      severity: 'error',
      from: { path: '^(src/api|activities)/' },
      to: { path: '^(src/api|activities)/', pathNot: '^$1/' },
    },
    {
      name: 'rails-are-apart',
      comment: "A change for one rail must not open another's folder. Look for the missing seam in payments.",
      severity: 'error',
      from: { path: '^src/rails/([^/]+)/' },
      to: { path: '^src/rails/', pathNot: '^src/rails/$1/' },
    },
    {
      name: 'workflows-see-only-the-domain',
      comment: 'Workflow code is replayed: no database, no network, no settings, no clock but Temporal’s.',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { pathNot: ['^workflows/', '^src/domain/', npm('@temporalio/(?:workflow|common)')] },
    },
    {
      name: 'workflows-reach-only-the-domain',
      comment: 'The same through the modules of the domain that a workflow imports.',
      severity: 'error',
      from: { path: '^workflows/' },
      to: {
        reachable: true,
        path: '.',
        pathNot: ['^workflows/', '^src/domain/', npm('@temporalio/(?:workflow|common)')],
      },
    },
    {
      name: 'nobody-imports-workflows',
      comment:
        'Workflows are bundled and named by their type; importing one would run it outside of Temporal.',
      severity: 'error',
      from: { path: '^(src|activities|simulator)/' },
      to: { path: '^workflows/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'the-simulator-stands-alone',
      comment: 'It plays the providers: were it to share our code, it would share our mistakes.',
      severity: 'error',
      from: { path: '^simulator/' },
      to: { path: '^(src|workflows|activities|tools|packages|test)/' },
    },
    {
      name: 'the-product-stands-alone',
      comment: 'What runs in production loads no tool, no package for merchants, no simulator and no test.',
      severity: 'error',
      from: { path: '^(src|workflows|activities)/' },
      to: { path: '^(tools|packages|simulator|test)/' },
    },
    {
      name: 'sandboxes-are-for-tools',
      comment:
        'What a rail lends to the sandbox stands in its folder; what runs in production does not load it.',
      severity: 'error',
      from: {
        path: '^(src|workflows|activities)/',
        pathNot: '^src/(?:rails/(?:sandbox|[^/]+/(?:sandbox|demo))|rail-kit/sandbox)\\.ts$',
      },
      to: { path: '^src/(?:rails/(?:sandbox|[^/]+/(?:sandbox|demo))|rail-kit/(?:sandbox|demo))\\.ts$' },
    },
    {
      name: 'a-developer-has-no-deployment',
      comment: "A merchant's developer has keys of the API; their tool loads no database and no payment.",
      severity: 'error',
      from: { path: '^packages/cli/' },
      to: { reachable: true, path: '^src/(?:store|payments|users|api|portal)/' },
    },
    {
      name: 'only-the-lab-uses-tests',
      comment: 'Its harnesses run with jest, on the stacks of the tests; the other tools run without either.',
      severity: 'error',
      from: { path: '^(tools/(?!lab/)|packages/)' },
      to: { path: '^(test|tools/lab)/' },
    },
    {
      name: 'traces-are-loaded-when-they-are-on',
      comment:
        'OpenTelemetry costs nothing where no collector is named: see src/telemetry/tracing/exporter.ts.',
      severity: 'error',
      from: { path: '^(src|workflows|activities)/' },
      to: { path: npm('@opentelemetry/[^/]+'), dependencyTypesNot: ['type-only', 'dynamic-import'] },
    },
    {
      name: 'no-circular',
      comment: 'Modules that need each other are one module, or hide a third.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-orphans',
      comment: 'Nobody imports it and it imports nothing: it is left over.',
      severity: 'error',
      // The bundler of workflows loads that one by its path.
      from: {
        orphan: true,
        pathNot: [
          '\\.test\\.ts$',
          '\\.d\\.c?ts$',
          '^(test|tools/lab)/.*\\.cjs$',
          '^workflows/without-stacks\\.ts$',
        ],
      },
      to: {},
    },
    {
      name: 'no-unknown-module',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-undeclared-package',
      comment: 'What we import stands in our own package.json, not only in that of a dependency.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-development-package-at-run-time',
      severity: 'error',
      from: { path: '^(src|workflows|activities|simulator|packages)/' },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        // Types only, by nature.
        pathNot: '^node_modules/@types/',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|coverage|\\.malipo|test/histories)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    detectProcessBuiltinModuleCalls: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['require', 'node', 'default', 'types'],
    },
  },
};
