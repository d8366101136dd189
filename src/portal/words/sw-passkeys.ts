/** The Swahili of passkeys. */
import type { enPasskeys } from './en-passkeys';

export const swPasskeys: Record<keyof typeof enPasskeys, string> = {
  'passkey.title': 'Ongeza passkey',
  'passkey.text':
    'Passkey iko kwenye simu yako, kompyuta yako au ufunguo wa usalama, na hufunguka kwa kidole, uso au PIN yake. Inafanya kazi kwenye ukurasa huu tu: nakala ya ukurasa haipati kitu.',
  'passkey.none':
    'Kivinjari hiki hakina passkey, au anwani hii haizikubali, au skripti zimezimwa. Programu ya uthibitisho inafanya kazi popote.',
  'passkey.app': 'Weka programu ya uthibitisho',
  'passkey.other': 'Au ongeza passkey, bila programu',
  'passkey.name': 'Ni kifaa gani?',
  'passkey.name.hint': 'Kama “simu yangu”, ili ujue cha kuondoa kikipotea.',
  'passkey.add': 'Ongeza passkey',
  'passkey.use': 'Tumia passkey yako',
  'passkey.or_code': 'Au andika msimbo',
  'passkey.failed': 'Kifaa hakikutoa passkey. Jaribu tena, au andika msimbo.',
  'passkey.wrong':
    'Passkey hii haikukubaliwa: ukurasa ulikuwa wazi kwa muda mrefu mno. Jaribu tena, au andika msimbo.',
  'passkey.wrong_new':
    'Passkey hii haikuongezwa: ni yako tayari, au ukurasa ulikuwa wazi kwa muda mrefu mno. Jaribu tena.',
  'security.second.passkey_on': 'Passkey imewekwa. Anayejua nenosiri lako pekee hawezi kuingia.',
  'security.app.remove': 'Ondoa programu',
  'security.passkeys': 'Passkey',
  'security.passkeys.used': 'Ilitumika mwisho',
  'security.passkeys.unused': 'haijawahi',
  'security.passkeys.remove': 'Ondoa',
  'security.passkeys.remove_of': 'Ondoa passkey {name}',
  'security.done.passkey': 'Passkey imeongezwa.',
  'security.done.passkey_removed': 'Passkey imeondolewa.',
};
