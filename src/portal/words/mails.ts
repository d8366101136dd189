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
