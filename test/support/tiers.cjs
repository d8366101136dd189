/**
 * The six tiers of the tests. A file belongs to the tier of its folder, and may start what that tier may start:
 * test/unit/structure.test.ts checks that. docs/figures.md lists their minutes.
 */

/**
 * `starts`: what a file may start, by itself or through its helpers. `servers`: the servers of one run of the tier;
 * each file has its own database. `tools`: what is looked for, and downloaded or built when missing, before the files
 * of a folder run. `built`: whether its files start our programs, which must be built first.
 */
const tiers = {
  unit: { starts: [], servers: [], tools: {}, built: false },
  integration: { starts: ['database'], servers: ['mysql'], tools: {}, built: false },
  smoke: {
    starts: ['database', 'temporal', 'stack'],
    servers: ['mysql', 'temporal'],
    tools: {},
    built: true,
  },
  e2e: {
    starts: ['database', 'temporal', 'stack', 'processes', 'browser'],
    servers: ['mysql', 'temporal'],
    tools: { '': ['chromium'] },
    built: true,
  },
  faults: {
    starts: ['database', 'temporal', 'stack', 'processes'],
    servers: ['mysql', 'temporal'],
    tools: { '': ['backup-tools'], chaos: ['languages'] },
    built: true,
  },
  tools: {
    starts: ['database', 'temporal', 'stack', 'processes', 'browser'],
    servers: ['mysql', 'temporal'],
    tools: {
      cli: ['shells'],
      clients: ['languages', 'php-frameworks'],
      deploy: ['deploy-tools', 'prometheus'],
      'docs-site': ['languages', 'chromium'],
      'lab/second-checker': ['languages', 'backup-tools'],
      'new-shop': ['languages'],
      'real-clients': ['languages'],
    },
    built: true,
  },
};

/** The tiers of `npm test`. */
const everyday = ['unit', 'integration', 'smoke'];

/**
 * Run by `npm run nightly` only, or by name: the slowest tests of the lab itself, which must find a planted fault. CI still
 * runs the tests of the product with the same tools.
 */
const nightly = ['test/faults/chaos/planted.test.ts'];

/** @returns the tier of a path in the project's folder; undefined outside of the tiers. */
function tierOf(path) {
  const [top, tier] = path.split('/');
  return top === 'test' && tier in tiers ? tier : undefined;
}

/** @returns the tools that these test files need, each once. */
function toolsFor(paths) {
  const wanted = paths.flatMap((path) => {
    const tier = tierOf(path);
    if (tier === undefined) return [];
    return Object.entries(tiers[tier].tools).flatMap(([folder, tools]) =>
      path.startsWith(['test', tier, ...(folder === '' ? [] : [folder]), ''].join('/')) ? tools : [],
    );
  });
  return [...new Set(wanted)];
}

module.exports = { tiers, everyday, nightly, tierOf, toolsFor };
