/** Draws the reference with Redoc, in the reader's colour scheme. */

interface Colours {
  text: string;
  faint: string;
  raised: string;
  line: string;
  link: string;
  side: string;
  code: string;
}

const light: Colours = {
  ...{ text: '#1f2328', faint: '#5f6368', raised: '#f6f8fa', line: '#dadce0', link: '#0b57d0' },
  ...{ side: '#263238', code: '#11171a' },
};
const dark: Colours = {
  ...{ text: '#e8eaed', faint: '#9aa0a6', raised: '#1e1f22', line: '#3c4043', link: '#8ab4f8' },
  ...{ side: '#1e1f22', code: '#121212' },
};
const fontFamily = 'system-ui, sans-serif';

const optionsIn = ({ text, faint, raised, line, link, side, code }: Colours) => ({
  // Redoc's search worker would be a script without a file, which the policy forbids.
  disableSearch: true,
  hideDownloadButton: true,
  hideSchemaPattern: true,
  jsonSampleExpandLevel: 3,
  nativeScrollbars: true,
  requiredPropsFirst: true,
  theme: {
    colors: {
      primary: { main: link },
      text: { primary: text, secondary: faint },
      border: { dark: line, light: line },
      gray: { 50: raised, 100: raised },
    },
    fab: { backgroundColor: raised, color: link },
    rightPanel: { backgroundColor: side, textColor: '#ffffff' },
    codeBlock: { backgroundColor: code },
    schema: { nestedBackground: raised, linesColor: line, typeNameColor: faint, typeTitleColor: faint },
    sidebar: { backgroundColor: raised, textColor: text, activeTextColor: link },
    typography: {
      ...{ fontFamily, fontSize: '16px', headings: { fontFamily } },
      code: { fontFamily: 'ui-monospace, monospace', color: text, backgroundColor: raised },
      links: { color: link, visited: link, hover: link },
    },
  },
});

export const referenceScript = `'use strict';
const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
const options = isDark ? ${JSON.stringify(optionsIn(dark))} : ${JSON.stringify(optionsIn(light))};
Redoc.init('openapi.json', options, document.getElementById('reference'));
`;
