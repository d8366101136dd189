/** The English of how payments went day by day, and of whose days they are. */
export const enFigures = {
  'figures.money': 'Money of each day, in {currency}',
  'figures.count': 'Payments of each day',
  'figures.unsuccessful': 'Not successful',
  'figures.most': 'at most {most}',
  'figures.table': 'The same as a table',
  'figures.day': 'Day',
  'settings.zone': 'Time zone',
  'settings.zone.hint':
    'Times, filters and the days of the overview go by its clock: by that of {zone} where you set none.',
  'statements.zone': 'Its days begin at midnight by your clock ({zone}).',
} as const;
