/** One program for each language with every sample of the reference, because each start of a process takes time. */
import { join } from 'node:path';
import type { ClientSample } from '../../../tools/docs-site/client-samples';

type Calls = readonly { id: string; samples: readonly ClientSample[] }[];

const indented = (text: string) => text.replace(/^/gm, '    ');

/** After each call a line `@@ operation result`: `ok`, the code of the error, or the error itself. */
const programs: Record<string, (setup: string, calls: { id: string; call: string }[]) => string> = {
  Node: (setup, calls) => {
    const steps = calls.map(
      ({ id, call }) => `try {
${call}
console.log('\\n@@ ${id} ok');
} catch (error) {
console.log('\\n@@ ${id} ' + (error.code ?? error));
}`,
    );
    return `${setup}\nasync function main() {\n${steps.join('\n')}\n}\nmain();\n`;
  },
  Python: (setup, calls) => {
    const steps = calls.map(
      ({ id, call }) => `try:
${indented(call)}
    print("\\n@@ ${id} ok")
except Exception as error:
    print("\\n@@ ${id}", getattr(error, "code", repr(error)))`,
    );
    return `${setup}\n${steps.join('\n')}\n`;
  },
  PHP: (setup, calls) => {
    const steps = calls.map(
      ({ id, call }) => `try {
${call}
echo "\\n@@ ${id} ok\\n";
} catch (Malipo\\Refused $error) {
echo "\\n@@ ${id} ", $error->errorCode, "\\n";
} catch (Throwable $error) {
echo "\\n@@ ${id} ", get_class($error), ' ', $error->getMessage(), "\\n";
}`,
    );
    return `<?php\n${setup}\n${steps.join('\n')}\n`;
  },
};

/** The file that Composer writes for the packages of a shop. */
const autoloadOf = (root: string) => `<?php
spl_autoload_register(static function (string $class): void {
    require '${join(root, 'packages', 'clients', 'php', 'src')}/' . basename(str_replace('\\\\', '/', $class)) . '.php';
});
`;

/** @param merchantId the merchant whose keys the program has: hosted checkout also names it in the body. */
export function programOf(
  label: string,
  calls: Calls,
  { root, merchantId }: { root: string; merchantId: string },
): { code: string; autoload: string } {
  const make = programs[label];
  const samples = calls.flatMap(({ id, samples: all }) =>
    all.filter((one) => one.label === label).map(({ setup, call }) => ({ id, setup, call })),
  );
  const [first] = samples;
  if (!make || !first) throw new Error(`there are no samples in ${label}`);
  const named = samples.map(({ id, call }) => ({
    id,
    call: call.replace(/(merchant_id\W+)[\da-f]{8}-[\da-f-]{27}/, `$1${merchantId}`),
  }));
  return { code: make(first.setup, named), autoload: autoloadOf(root) };
}
