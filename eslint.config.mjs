// @ts-check
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

/** Names that exist everywhere in Node. ESLint knows only those of the language. */
const nodeGlobals = Object.fromEntries(
  [
    ...['AbortController', 'AbortSignal', 'Buffer', 'URL', 'URLSearchParams', 'console', 'fetch', 'process'],
    ...['clearInterval', 'clearTimeout', 'queueMicrotask', 'setImmediate', 'setInterval', 'setTimeout'],
    ...['TextDecoder', 'TextEncoder', 'performance', 'structuredClone'],
  ].map((name) => [name, 'readonly']),
);
const commonJsGlobals = { ...nodeGlobals, __dirname: 'readonly', module: 'writable', require: 'readonly' };

/** Faults that no style excuses, in every language of the repository. */
const everywhere = {
  eqeqeq: 'error',
  'no-constant-binary-expression': 'error',
  'no-duplicate-imports': ['error', { includeExports: true, allowSeparateTypeImports: true }],
  'no-empty': ['error', { allowEmptyCatch: false }],
  'no-eval': 'error',
  'no-fallthrough': 'error',
  'no-new-func': 'error',
  'no-self-compare': 'error',
  'no-template-curly-in-string': 'error',
  'no-unreachable-loop': 'error',
  'no-unsafe-finally': 'error',
  'no-useless-escape': 'error',
  'no-var': 'error',
  'object-shorthand': ['error', 'properties'],
  'prefer-const': 'error',
};

/**
 * Every pattern meets text that somebody else wrote sooner or later, and one that backtracks more than the text is
 * long stops the whole process: 8 kB of a name have cost 8 seconds.
 */
const linearPatterns = {
  'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
  'regexp/no-super-linear-move': ['error', { report: 'potential', ignorePartial: false }],
  'regexp/no-dupe-disjunctions': ['error', { report: 'all' }],
  'regexp/optimal-quantifier-concatenation': 'error',
};

/** `await trx.commit()` resolves even when the connection died and nothing was committed. */
const callbackTransactionsOnly = {
  'no-restricted-syntax': [
    'error',
    {
      selector:
        'CallExpression[callee.property.name=/^(commit|rollback)$/][callee.object.name=/^(trx|transaction|tx)$/]',
      message:
        'Transactions end with their callback: `await trx.commit()` resolves though nothing was committed.',
    },
    {
      selector:
        'CallExpression[callee.property.name=/^(transaction|transactionProvider)$/][arguments.length=0]',
      message: 'Transactions take a callback; see inTransaction in src/store/transaction.ts.',
    },
  ],
};

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'packages/clients/node/dist/',
      'node_modules/',
      '.malipo/',
      'coverage/',
      'test/fixtures/',
      'docs/toy-rail/',
      'packages/clients/node/src/operations.ts',
    ],
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      ...everywhere,
      ...callbackTransactionsOnly,
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-floating-promises': ['error', { checkThenables: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      // `() => server.close()` where nobody looks at the result reads better than a block of one line.
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidOperator: true, ignoreVoidReturningFunctions: true },
      ],
      // A number in a sentence is shown as anybody would write it.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // What an interface asks for may be more than an implementation needs; `_` says that it is left unread.
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      // `while (true)` is how a workflow or a sweeper says that it goes on until told to stop.
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      // Brackets say that a name comes from outside: a body, a header, an environment.
      '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
      // Services are objects of closures and are taken apart freely; nothing of ours reads `this`.
      '@typescript-eslint/unbound-method': 'off',
      // Node, winston and jest hand out instances under the type of an interface.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // It asks for `!`, which the strict rules forbid.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      // A rail answers promises because the next rail will need to wait, not because this one does.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['src/**/*.ts', 'workflows/**/*.ts', 'activities/**/*.ts'],
    // Here speak people at a terminal; everything else writes to the log, which redacts.
    ignores: ['src/cli/**', 'tools/sandbox/**'],
    rules: { 'no-console': 'error' },
  },
  {
    files: ['{src,workflows,activities,simulator}/**/*.{ts,mjs}'],
    plugins: { regexp },
    rules: {
      ...linearPatterns,
      'no-restricted-globals': [
        'error',
        { name: 'RegExp', message: 'A pattern is a literal, so that the rules about its speed can read it.' },
      ],
    },
  },
  {
    files: ['{test,tools/lab}/**/*.ts'],
    rules: {
      // Jest's matchers (`expect.any`, `expect.objectContaining`) are typed `any`.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      // A fake has the shape of what it stands for, needed or not.
      '@typescript-eslint/no-empty-function': 'off',
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      ...everywhere,
      'no-undef': 'error',
      'no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    },
  },
  { files: ['**/*.mjs'], languageOptions: { globals: nodeGlobals } },
  { files: ['**/*.cjs'], languageOptions: { sourceType: 'commonjs', globals: commonJsGlobals } },
);
