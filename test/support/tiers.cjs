/**
 * The six tiers of the tests. A file belongs to the tier whose folder it lies in, and may start what that tier may start:
 * test/unit/structure.test.ts holds it to that. docs/testing.md lists their minutes.
 */

/**
 * `starts`: what a file may start, by itself or through its helpers.
 * `servers`: which servers one run of the tier has, each file in a database of its own.
 * `tools`: what is looked for, and fetched or built where it is missing, before the files of a folder in it run.
 * `built`: whether its files start programs of ours, which have to be built first.
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
      clients: ['languages'],
      deploy: ['deploy-tools', 'prometheus'],
      'docs-site': ['languages', 'chromium'],
      'lab/second-checker': ['languages', 'backup-tools'],
      'real-clients': ['languages'],
    },
    built: true,
  },
};

/** Those of `npm test`. */
const everyday = ['unit', 'integration', 'smoke'];

/** @returns the tier of a path below the project's folder; none, where it lies in no tier. */
function tierOf(path) {
  const [top, tier] = path.split('/');
  return top === 'test' && tier in tiers ? tier : undefined;
}

/** @returns the tools that these files of tests want, each once. */
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

module.exports = { tiers, everyday, tierOf, toolsFor };
