/** The Swahili of what both sides say in a case, and of what to do about it. */
import type { enCases } from './en-cases';

export const swCases: Record<keyof typeof enCases, string> = {
  'case.ours': 'Tulichofanya sisi',
  'case.theirs': 'Alichosema mtoa huduma',
  'case.theirs.none': 'Hajatuambia lolote kuhusu malipo haya.',
  'case.notice.new': 'Alituambia jambo, ambalo bado halijasomwa',
  'case.notice.applied': 'Alituambia jambo, ambalo lilizingatiwa',
  'case.notice.ignored': 'Alituambia jambo, ambalo halikubadilisha kitu',
  'case.notice.parked': 'Alituambia jambo lisilolingana na malipo yoyote bado',
  'case.told': 'Kwa alichosema: {state}',
  'case.answer': 'Tulimuuliza, naye akajibu: {state}',
  'case.body': 'Kama ilivyopokelewa',
  'case.redacted': 'Siri, majina na namba zimefichwa.',
  'case.likely': 'Huenda sababu ni nini',
  'case.safe': 'Nini ni salama kufanya',
  'case.currency': 'Sarafu',
};
