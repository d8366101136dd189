/** The Swahili of how payments went day by day, and of whose days they are. */
import type { enFigures } from './en-figures';

export const swFigures: Record<keyof typeof enFigures, string> = {
  'figures.money': 'Pesa za kila siku, kwa {currency}',
  'figures.count': 'Malipo ya kila siku',
  'figures.unsuccessful': 'Yasiyofanikiwa',
  'figures.most': 'zaidi kabisa {most}',
  'figures.table': 'Hayohayo kama jedwali',
  'figures.day': 'Siku',
  'settings.zone': 'Saa za eneo',
  'settings.zone.hint':
    'Saa, vichujio na siku za muhtasari zinafuata saa za eneo hili: za {zone} kama hujaweka lolote.',
  'statements.zone': 'Siku zake zinaanza saa sita usiku kwa saa zako ({zone}).',
};
