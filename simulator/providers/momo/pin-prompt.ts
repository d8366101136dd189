/**
 * How a payer has a prompt sent again, in the shape of the provider's guide to deposits. Clients of others drop channels
 * that are there several times, which is how the answer with all countries comes to be larger than one would think.
 */
const CHANNELS = 3;

const stepsOf = (dial: string, enter: string) => [
  { text: `${dial} *115#`, template: `${dial} {{shortCode}}`, variables: { shortCode: '*115#' } },
  { text: enter, template: enter, variables: { shortCode: '*115#' } },
];

const channel = {
  type: 'USSD',
  displayName: { en: 'Did not get a PIN prompt?', fr: 'N’avez-vous pas reçu la demande de code PIN?' },
  variables: { shortCode: '*115#' },
  quickLink: 'tel:*115%23',
  instructions: {
    en: stepsOf('Dial', 'Enter PIN'),
    fr: stepsOf('Composez', 'Entrez le code PIN'),
  },
};

export const pinPromptInstructions = { channels: Array.from({ length: CHANNELS }, () => channel) };
