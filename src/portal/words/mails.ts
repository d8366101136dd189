/** What people are mailed, in their language. `{…}` is filled in. */
export const mailWords = {
  en: {
    'invitation.subject': 'You are invited to Malipo',
    'invitation.text':
      'Hello,\n\nyou are invited to work in the Malipo portal{place}. To accept, open this link:\n\n{link}\n\n' +
      'It works once, within {hours} hours. If you did not expect this, do nothing.\n',
    'invitation.place': ' for {merchant}',
    'reset.subject': 'A new password for Malipo',
    'reset.text':
      'Hello,\n\nsomebody, probably you, has asked for a new password. To set one, open this link:\n\n{link}\n\n' +
      'It works once, within {hours} hour. If it was not you, do nothing: your password stays as it is.\n',
    'notice.subject': 'Your Malipo account was changed',
    'notice.text':
      'Hello,\n\n{what}\n\nIf it was not you, ask for a new password at once: {link}\n' +
      'Then look at the sessions on your security page, and tell whoever runs this service.\n',
    'payouts.subject': 'Payouts wait for your approval',
    'payouts.text':
      'Hello,\n\n{who} has put together payouts for {merchant} ({count}, {total} in all), and asks you or another of your team to approve them:\n\n{link}\n\n' +
      'Nothing goes out before somebody approves. They wait for {hours} hours.\n',
    'approval.subject': 'Malipo: request {id} needs a second operator',
    'approval.text':
      'Hello,\n\nrequest {id} needs a second operator.\n\n{what}\n\nLook at it here:\n\n{link}\n\n' +
      'Nothing was done yet, and nothing is before somebody approves.\n',
    'key.subject': 'An API key waits for your confirmation',
    'key.text':
      'Hello,\n\n{who} wants to let an API key of {merchant} pay out ({key}), and asks you or another of your team to confirm it:\n\n{link}\n\n' +
      'The key pays nothing out before somebody confirms. It waits for {hours} hours.\n',
    'change.subject': 'Malipo: your team, keys or webhooks were changed',
    'change.text':
      'Hello,\n\nsomething was changed for {merchant}.\n\n{what}\n\nBy: {who}\nWhen: {when}\n\n' +
      'If this is not right, look at your team, your keys and your webhooks at once, and tell whoever runs this service: {link}\n',
    'change.what.member_invited': '{email} is invited with the role “{role}”.',
    'change.what.member_joined': '{email} has accepted the invitation, with the role “{role}”.',
    'change.what.member_role': '{email} had the role “{role_before}” and has the role “{role}” now.',
    'change.what.member_removed': '{email} was removed. The role was “{role}”.',
    'change.what.member_ended': 'The account of {email} was ended for good. The role was “{role}”.',
    'change.what.key_created': 'A new API key: {key}. It may: {scopes}.',
    'change.what.key_asked': 'The API key {key} is to pay out, and waits until a second person confirms it.',
    'change.what.key_changed': 'The API key {key} may now: {scopes}. Before: {before}.',
    'change.what.key_confirmed': 'The API key {key} may pay out from now on.',
    'change.what.key_refused': 'The API key {key} is not to pay out: somebody refused it.',
    'change.what.key_ended': 'The API key {key} was ended.',
    'change.what.access_changed':
      'From where your API keys may be used was changed. Allowed now: {addresses}.',
    'change.what.addresses_changed': 'Addresses of your server were changed. They are now at: {addresses}.',
    'change.what.secret_changed': 'Webhooks are signed with a new secret.',
    'change.what.endpoint_added': 'One more address is told what happens, at {host}.',
    'change.what.endpoint_secret': 'Webhooks to the further address at {host} are signed with a new secret.',
    'change.what.endpoint_ended': 'The further address at {host} is told nothing more.',
    'change.what.merchant_closed': 'Your account was closed.',
    'change.ended':
      'This has ended with it: lists of payouts that nobody had sent yet: {batches}; keys that waited: {keys}.',
    'notice.password': 'the password of your account was changed.',
    'notice.second_on': 'an app was added that shows the second factor of your account.',
    'notice.second_off': 'the second factor of your account was taken away.',
    'notice.passkey_on': 'a passkey was added to your account.',
    'notice.passkey_off': 'a passkey was taken away from your account.',
    'notice.recovery': 'one of your recovery codes was used to sign in.',
    'notice.refused': 'somebody tried several wrong passwords or codes for your account, and was refused.',
  },
  sw: {
    'invitation.subject': 'Umealikwa kwenye Malipo',
    'invitation.text':
      'Habari,\n\numealikwa kufanya kazi kwenye tovuti ya Malipo{place}. Ili kukubali, fungua kiungo hiki:\n\n{link}\n\n' +
      'Kinafanya kazi mara moja tu, ndani ya saa {hours}. Kama hukutarajia ujumbe huu, usifanye chochote.\n',
    'invitation.place': ' kwa {merchant}',
    'reset.subject': 'Nenosiri jipya la Malipo',
    'reset.text':
      'Habari,\n\nmtu fulani, huenda wewe, ameomba nenosiri jipya. Ili kuliweka, fungua kiungo hiki:\n\n{link}\n\n' +
      'Kinafanya kazi mara moja tu, ndani ya saa {hours}. Kama si wewe, usifanye chochote: nenosiri lako halibadiliki.\n',
    'notice.subject': 'Akaunti yako ya Malipo imebadilishwa',
    'notice.text':
      'Habari,\n\n{what}\n\nKama si wewe, omba nenosiri jipya mara moja: {link}\n' +
      'Kisha angalia vipindi kwenye ukurasa wako wa usalama, na umjulishe anayeendesha huduma hii.\n',
    'payouts.subject': 'Malipo kwa watu yanasubiri idhini yako',
    'payouts.text':
      'Habari,\n\n{who} ameandaa malipo kwa watu kwa niaba ya {merchant} ({count}, jumla {total}), na anakuomba wewe au mwenzako muyaidhinishe:\n\n{link}\n\n' +
      'Hakuna kinachotumwa kabla mtu hajaidhinisha. Yanasubiri kwa saa {hours}.\n',
    'approval.subject': 'Malipo: ombi {id} linahitaji mwendeshaji wa pili',
    'approval.text':
      'Habari,\n\nombi {id} linahitaji mwendeshaji wa pili.\n\n{what}\n\nLiangalie hapa:\n\n{link}\n\n' +
      'Bado hakuna kilichofanyika, na hakuna kitakachofanyika kabla mtu hajaidhinisha.\n',
    'key.subject': 'Ufunguo wa API unasubiri uthibitisho wako',
    'key.text':
      'Habari,\n\n{who} anataka kuruhusu ufunguo wa API wa {merchant} kulipa watu ({key}), na anakuomba wewe au mwenzako muuthibitishe:\n\n{link}\n\n' +
      'Ufunguo haulipi chochote kabla mtu hajathibitisha. Unasubiri kwa saa {hours}.\n',
    'change.subject': 'Malipo: timu, funguo au webhook zako zimebadilishwa',
    'change.text':
      'Habari,\n\nkuna kilichobadilishwa kwa {merchant}.\n\n{what}\n\nAliyefanya: {who}\nLini: {when}\n\n' +
      'Kama si sahihi, angalia timu, funguo na webhook zako mara moja, na umjulishe anayeendesha huduma hii: {link}\n',
    'change.what.member_invited': '{email} amealikwa akiwa na wajibu wa “{role}”.',
    'change.what.member_joined': '{email} amekubali mwaliko, akiwa na wajibu wa “{role}”.',
    'change.what.member_role':
      '{email} alikuwa na wajibu wa “{role_before}”, na sasa ana wajibu wa “{role}”.',
    'change.what.member_removed': '{email} ameondolewa. Wajibu wake ulikuwa “{role}”.',
    'change.what.member_ended': 'Akaunti ya {email} imefungwa kabisa. Wajibu wake ulikuwa “{role}”.',
    'change.what.key_created': 'Ufunguo mpya wa API: {key}. Unaruhusiwa: {scopes}.',
    'change.what.key_asked':
      'Ufunguo wa API {key} unaombewa kulipa watu, na unasubiri mtu wa pili athibitishe.',
    'change.what.key_changed': 'Ufunguo wa API {key} sasa unaruhusiwa: {scopes}. Kabla: {before}.',
    'change.what.key_confirmed': 'Ufunguo wa API {key} unaruhusiwa kulipa watu kuanzia sasa.',
    'change.what.key_refused': 'Ufunguo wa API {key} hauruhusiwi kulipa watu: mtu amekataa.',
    'change.what.key_ended': 'Ufunguo wa API {key} umekomeshwa.',
    'change.what.access_changed':
      'Anwani zinazoruhusiwa kutumia funguo zako za API zimebadilishwa. Zinazoruhusiwa sasa: {addresses}.',
    'change.what.addresses_changed': 'Anwani za seva yako zimebadilishwa. Sasa ziko: {addresses}.',
    'change.what.secret_changed': 'Webhook zinasainiwa kwa siri mpya.',
    'change.what.endpoint_added': 'Anwani moja zaidi inajulishwa yanayotokea, kwenye {host}.',
    'change.what.endpoint_secret': 'Webhook za anwani ya ziada kwenye {host} zinasainiwa kwa siri mpya.',
    'change.what.endpoint_ended': 'Anwani ya ziada kwenye {host} haijulishwi chochote tena.',
    'change.what.merchant_closed': 'Akaunti yako imefungwa.',
    'change.ended':
      'Haya yameisha pamoja nayo: orodha za malipo ambazo hazijatumwa: {batches}; funguo zilizosubiri: {keys}.',
    'notice.password': 'nenosiri la akaunti yako limebadilishwa.',
    'notice.second_on': 'programu inayoonyesha uthibitisho wa pili wa akaunti yako imeongezwa.',
    'notice.second_off': 'uthibitisho wa pili wa akaunti yako umeondolewa.',
    'notice.passkey_on': 'passkey imeongezwa kwenye akaunti yako.',
    'notice.passkey_off': 'passkey imeondolewa kwenye akaunti yako.',
    'notice.recovery': 'mojawapo ya misimbo yako ya dharura imetumika kuingia.',
    'notice.refused':
      'mtu amejaribu nenosiri au misimbo isiyo sahihi mara kadhaa kwenye akaunti yako, na amekataliwa.',
  },
} as const;
