/** The English of what both sides say in a case, and of what to do about it. */
export const enCases = {
  'case.ours': 'What we did',
  'case.theirs': 'What the provider told',
  'case.theirs.none': 'It has told us nothing of this payment.',
  'case.notice.new': 'It told us something, which is not read yet',
  'case.notice.applied': 'It told us something, which counted',
  'case.notice.ignored': 'It told us something, which changed nothing',
  'case.notice.parked': 'It told us something that fits no payment yet',
  'case.told': 'By what it told: {state}',
  'case.answer': 'We asked, and it answered: {state}',
  'case.body': 'As it was received',
  'case.redacted': 'Secrets, names and numbers are hidden.',
  'case.likely': 'What is likely behind it',
  'case.safe': 'What is safe to do',
  'case.currency': 'Currency',
} as const;
