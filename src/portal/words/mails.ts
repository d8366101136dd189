/** The texts of mails in each language. The sender fills in `{…}`. */
export const mailWords = {
  en: {
    'invitation.subject': 'You are invited to Malipo',
    'invitation.text':
      'Hello,\n\nyou are invited to work in the Malipo portal{place}. To accept, open this link:\n\n{link}\n\n' +
      'The link works once, within {hours} hours. If you did not expect this e-mail, do nothing.\n',
    'invitation.place': ' for {merchant}',
    'reset.subject': 'Set a new password for Malipo',
    'reset.text':
      'Hello,\n\nsomeone, probably you, asked for a new password. To set one, open this link:\n\n{link}\n\n' +
      'The link works once, within {hours} hour. If it was not you, do nothing: your password does not change.\n',
    'notice.subject': 'Your Malipo account was changed',
    'notice.text':
      'Hello,\n\n{what}\n\nIf it was not you, ask for a new password at once: {link}\n' +
      'Then check the sessions on your security page, and contact an operator of this service.\n',
    'payouts.subject': 'Payouts are waiting for your approval',
    'payouts.text':
      'Hello,\n\n{who} created payouts for {merchant} ({count}, {total} in total). You or another member of your team must approve them:\n\n{link}\n\n' +
      'Nothing is sent before the approval. The request expires after {hours} hours.\n',
    'approval.subject': 'Malipo: request {id} needs a second operator',
    'approval.text':
      'Hello,\n\nrequest {id} needs a second operator.\n\n{what}\n\nReview it here:\n\n{link}\n\n' +
      'Nothing was done yet. Nothing will be done before someone approves it.\n',
    'key.subject': 'An API key is waiting for your confirmation',
    'key.text':
      'Hello,\n\n{who} requests payout permission for an API key of {merchant} ({key}). You or another member of your team must confirm it:\n\n{link}\n\n' +
      'The key cannot send payouts before the confirmation. The request expires after {hours} hours.\n',
    'change.subject': 'Malipo: your team, keys or webhooks were changed',
    'change.text':
      'Hello,\n\nthis was changed for {merchant}:\n\n{what}\n\nBy: {who}\nWhen: {when}\n\n' +
      'If this is not right, check your team, your keys and your webhooks at once, and contact an operator of this service: {link}\n',
    'change.what.member_invited': '{email} is invited with the role “{role}”.',
    'change.what.member_joined': '{email} has accepted the invitation, with the role “{role}”.',
    'change.what.member_role': 'The role of {email} was “{role_before}” and is now “{role}”.',
    'change.what.member_removed': '{email} was removed. The role was “{role}”.',
    'change.what.member_ended': 'The account of {email} was closed permanently. The role was “{role}”.',
    'change.what.key_created': 'A new API key: {key}. Its permissions: {scopes}.',
    'change.what.key_asked':
      'Payout permission was requested for the API key {key}. It is waiting for confirmation by a second user.',
    'change.what.key_changed': 'The permissions of the API key {key} are now: {scopes}. Before: {before}.',
    'change.what.key_confirmed': 'The API key {key} can send payouts from now on.',
    'change.what.key_refused': 'Payout permission for the API key {key} was rejected.',
    'change.what.key_ended': 'The API key {key} was revoked.',
    'change.what.access_changed':
      'The addresses that can use your API keys were changed. Allowed now: {addresses}.',
    'change.what.addresses_changed': 'Addresses of your server were changed. They are now: {addresses}.',
    'change.what.secret_changed': 'Webhooks are signed with a new secret.',
    'change.what.endpoint_added': 'An additional webhook address was added: {host}.',
    'change.what.endpoint_secret': 'Webhooks to the additional address {host} are signed with a new secret.',
    'change.what.endpoint_ended': 'The additional webhook address {host} was removed.',
    'change.what.merchant_closed': 'Your account was closed.',
    'change.ended':
      'This also ended: payout lists that were not sent: {batches}; keys that were waiting for confirmation: {keys}.',
    'notice.password': 'the password of your account was changed.',
    'notice.second_on': 'an authenticator app was added to your account as second factor.',
    'notice.second_off': 'the second factor of your account was removed.',
    'notice.passkey_on': 'a passkey was added to your account.',
    'notice.passkey_off': 'a passkey was removed from your account.',
    'notice.recovery': 'one of your recovery codes was used to sign in.',
    'notice.refused':
      'someone entered several wrong passwords or codes for your account, and could not sign in.',
  },
  sw: {
    'invitation.subject': 'Umealikwa kwenye Malipo',
    'invitation.text':
      'Habari,\n\numealikwa kufanya kazi kwenye tovuti ya Malipo{place}. Ili kukubali, fungua kiungo hiki:\n\n{link}\n\n' +
      'Kiungo kinafanya kazi mara moja tu, ndani ya saa {hours}. Kama hukutarajia barua pepe hii, usifanye chochote.\n',
    'invitation.place': ' kwa {merchant}',
    'reset.subject': 'Weka nenosiri jipya la Malipo',
    'reset.text':
      'Habari,\n\nmtu fulani, huenda wewe, ameomba nenosiri jipya. Ili kuliweka, fungua kiungo hiki:\n\n{link}\n\n' +
      'Kiungo kinafanya kazi mara moja tu, ndani ya saa {hours}. Kama si wewe, usifanye chochote: nenosiri lako halibadiliki.\n',
    'notice.subject': 'Akaunti yako ya Malipo imebadilishwa',
    'notice.text':
      'Habari,\n\n{what}\n\nKama si wewe, omba nenosiri jipya mara moja: {link}\n' +
      'Kisha angalia vipindi kwenye ukurasa wako wa usalama, na uwasiliane na mwendeshaji wa huduma hii.\n',
    'payouts.subject': 'Malipo kwa watu yanasubiri idhini yako',
    'payouts.text':
      'Habari,\n\n{who} ameandaa malipo kwa watu kwa niaba ya {merchant} ({count}, jumla {total}). Wewe au mwenzako wa timu lazima ayaidhinishe:\n\n{link}\n\n' +
      'Hakuna kinachotumwa kabla ya idhini. Muda wa ombi unakwisha baada ya saa {hours}.\n',
    'approval.subject': 'Malipo: ombi {id} linahitaji mwendeshaji wa pili',
    'approval.text':
      'Habari,\n\nombi {id} linahitaji mwendeshaji wa pili.\n\n{what}\n\nLikague hapa:\n\n{link}\n\n' +
      'Bado hakuna kilichofanyika. Hakuna kitakachofanyika kabla mtu hajaidhinisha.\n',
    'key.subject': 'Ufunguo wa API unasubiri uthibitisho wako',
    'key.text':
      'Habari,\n\n{who} anaombea ufunguo wa API wa {merchant} ({key}) ruhusa ya kulipa watu. Wewe au mwenzako wa timu lazima authibitishe:\n\n{link}\n\n' +
      'Ufunguo hauwezi kulipa watu kabla ya kuthibitishwa. Muda wa ombi unakwisha baada ya saa {hours}.\n',
    'change.subject': 'Malipo: timu, funguo au webhook zako zimebadilishwa',
    'change.text':
      'Habari,\n\nhiki kimebadilishwa kwa {merchant}:\n\n{what}\n\nAliyefanya: {who}\nLini: {when}\n\n' +
      'Kama si sahihi, angalia timu, funguo na webhook zako mara moja, na uwasiliane na mwendeshaji wa huduma hii: {link}\n',
    'change.what.member_invited': '{email} amealikwa kwa jukumu la “{role}”.',
    'change.what.member_joined': '{email} amekubali mwaliko, kwa jukumu la “{role}”.',
    'change.what.member_role': 'Jukumu la {email} lilikuwa “{role_before}”, na sasa ni “{role}”.',
    'change.what.member_removed': '{email} ameondolewa. Jukumu lake lilikuwa “{role}”.',
    'change.what.member_ended': 'Akaunti ya {email} imefungwa kabisa. Jukumu lake lilikuwa “{role}”.',
    'change.what.key_created': 'Ufunguo mpya wa API: {key}. Ruhusa zake: {scopes}.',
    'change.what.key_asked':
      'Ruhusa ya kulipa watu imeombwa kwa ufunguo wa API {key}. Inasubiri kuthibitishwa na mtumiaji wa pili.',
    'change.what.key_changed': 'Ruhusa za ufunguo wa API {key} sasa ni: {scopes}. Kabla: {before}.',
    'change.what.key_confirmed': 'Ufunguo wa API {key} unaweza kulipa watu kuanzia sasa.',
    'change.what.key_refused': 'Ruhusa ya kulipa watu kwa ufunguo wa API {key} imekataliwa.',
    'change.what.key_ended': 'Ufunguo wa API {key} umefutwa.',
    'change.what.access_changed':
      'Anwani zinazoruhusiwa kutumia funguo zako za API zimebadilishwa. Zinazoruhusiwa sasa: {addresses}.',
    'change.what.addresses_changed': 'Anwani za seva yako zimebadilishwa. Sasa ni: {addresses}.',
    'change.what.secret_changed': 'Webhook zinatiwa sahihi kwa siri mpya.',
    'change.what.endpoint_added': 'Anwani ya ziada ya webhook imeongezwa: {host}.',
    'change.what.endpoint_secret': 'Webhook za anwani ya ziada {host} zinatiwa sahihi kwa siri mpya.',
    'change.what.endpoint_ended': 'Anwani ya ziada ya webhook {host} imeondolewa.',
    'change.what.merchant_closed': 'Akaunti yako imefungwa.',
    'change.ended':
      'Haya pia yameisha: orodha za malipo kwa watu ambazo hazijatumwa: {batches}; funguo zilizosubiri uthibitisho: {keys}.',
    'notice.password': 'nenosiri la akaunti yako limebadilishwa.',
    'notice.second_on': 'programu ya uthibitisho imeongezwa kwenye akaunti yako kama uthibitisho wa pili.',
    'notice.second_off': 'uthibitisho wa pili wa akaunti yako umeondolewa.',
    'notice.passkey_on': 'passkey imeongezwa kwenye akaunti yako.',
    'notice.passkey_off': 'passkey imeondolewa kwenye akaunti yako.',
    'notice.recovery': 'mojawapo ya misimbo yako ya dharura imetumika kuingia.',
    'notice.refused':
      'mtu ameandika nenosiri au misimbo isiyo sahihi mara kadhaa kwa akaunti yako, na hakuweza kuingia.',
  },
} as const;
