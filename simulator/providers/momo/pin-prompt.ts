/**
 * How a payer gets a prompt again, in the form of the provider's guide to deposits. Some clients remove repeated
 * channels, so the answer for all countries is larger than expected.
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

export const pinPromptText = { channels: Array.from({ length: CHANNELS }, () => channel) };
