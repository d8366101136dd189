/** What a customer is told to do next, in English and Swahili. Kept as data, to be read by whoever speaks the language. */

interface Sentences {
  /**
   * Asking the customer once more, or sending the money once more, cannot make anybody pay twice: nothing has moved, and
   * nothing that was begun can still move.
   */
  safe: boolean;
  en: string;
  sw: string;
}

export const nextSteps = {
  // A collection.
  paid: {
    safe: false,
    en: 'Your payment has been received. Thank you.',
    sw: 'Malipo yako yamepokelewa. Asante.',
  },
  enter_pin: {
    safe: false,
    en: 'Look at your phone. When you are asked, enter your PIN to pay.',
    sw: 'Angalia simu yako. Ukiombwa, weka PIN yako ili kulipa.',
  },
  open_page: {
    safe: false,
    en: 'Finish the payment on the payment page.',
    sw: 'Kamilisha malipo kwenye ukurasa wa malipo.',
  },
  wait: {
    safe: false,
    en: 'Your payment is being processed. Please wait, and do not pay again.',
    sw: 'Malipo yako yanashughulikiwa. Tafadhali subiri, na usilipe tena.',
  },
  check_sms: {
    safe: false,
    en: 'We do not know yet whether your payment went through. Check your SMS, and do not pay again before you have asked the seller.',
    sw: 'Bado hatujui kama malipo yako yamefanikiwa. Angalia SMS zako, na usilipe tena kabla ya kumuuliza muuzaji.',
  },
  check_sms_then_pay: {
    safe: false,
    en: 'We got no answer in time. If no message from your network or bank says that you paid, pay again.',
    sw: 'Hatukupata jibu kwa wakati. Ikiwa hukupata ujumbe wa mtandao au benki yako unaosema kwamba umelipa, lipa tena.',
  },
  pay_again: {
    safe: true,
    en: 'The payment did not go through, and you were not charged. You can pay again.',
    sw: 'Malipo hayakufanikiwa, na hukutozwa pesa yoyote. Unaweza kulipa tena.',
  },
  pay_again_later: {
    safe: true,
    en: 'The payment is not possible right now, and you were not charged. Please pay again in a few minutes.',
    sw: 'Malipo hayawezekani kwa sasa, na hukutozwa pesa yoyote. Tafadhali lipa tena baada ya dakika chache.',
  },
  try_page_again: {
    safe: false,
    en: 'The payment did not go through. Please try again on the same payment page.',
    sw: 'Malipo hayakufanikiwa. Tafadhali jaribu tena kwenye ukurasa uleule wa malipo.',
  },
  start_over: {
    safe: true,
    en: 'The time to pay is over, and you were not charged. You can start a new payment.',
    sw: 'Muda wa kulipa umekwisha, na hukutozwa pesa yoyote. Unaweza kuanza malipo mapya.',
  },
  add_money: {
    safe: true,
    en: 'You do not have enough money in your account. Add money, then pay again.',
    sw: 'Salio lako halitoshi. Ongeza pesa kwenye akaunti yako, kisha ulipe tena.',
  },
  check_pin: {
    safe: true,
    en: 'The PIN was wrong, or there is a problem with your account. Pay again with the right PIN; if that does not help, ask your network.',
    sw: 'PIN haikuwa sahihi, au akaunti yako ina tatizo. Lipa tena kwa PIN sahihi; ikishindikana, wasiliana na mtandao wako.',
  },
  close_other_prompt: {
    safe: true,
    en: 'Another payment request is open on your phone. Finish or cancel it, wait two minutes, then pay again.',
    sw: 'Kuna ombi lingine la malipo kwenye simu yako. Likamilishe au lighairi, subiri dakika mbili, kisha ulipe tena.',
  },
  check_number: {
    safe: true,
    en: 'This phone number cannot pay. Check the number, then pay again.',
    sw: 'Nambari hii ya simu haiwezi kulipa. Hakikisha kwamba nambari ni sahihi, kisha ulipe tena.',
  },
  ask_network: {
    safe: true,
    en: 'Your network did not allow this payment, and you were not charged. Please ask your network, then pay again.',
    sw: 'Mtandao wako haukuruhusu malipo haya, na hukutozwa pesa yoyote. Tafadhali wasiliana na mtandao wako, kisha ulipe tena.',
  },
  pay_another_way: {
    safe: true,
    en: 'This card or account cannot make this payment, and you were not charged. Please pay in another way.',
    sw: 'Kadi au akaunti hii haiwezi kufanya malipo haya, na hukutozwa pesa yoyote. Tafadhali lipa kwa njia nyingine.',
  },
  ask_seller: {
    safe: true,
    en: 'The payment was not possible, and you were not charged. Please ask the seller.',
    sw: 'Malipo hayakuwezekana, na hukutozwa pesa yoyote. Tafadhali muulize muuzaji.',
  },
  money_given_back: {
    safe: false,
    en: 'Money of this payment went back to you. If you expected something else, ask the seller.',
    sw: 'Umerudishiwa pesa za malipo haya. Ikiwa hukutarajia hivyo, muulize muuzaji.',
  },
  // A payout, told to its recipient.
  money_on_its_way: {
    safe: false,
    en: 'The money is on its way to you. Please wait.',
    sw: 'Pesa ziko njiani kuja kwako. Tafadhali subiri.',
  },
  money_waits: {
    safe: false,
    en: 'The network is delayed. The money will be sent to you as soon as possible.',
    sw: 'Huduma ya mtandao imechelewa. Pesa zitatumwa kwako mara tu itakapowezekana.',
  },
  claim_money: {
    safe: false,
    en: 'Money is waiting for you. To receive it, follow the e-mail that you were sent within 30 days.',
    sw: 'Kuna pesa zinazokusubiri. Ili kuzipokea, fuata maelekezo ya barua pepe uliyotumiwa ndani ya siku 30.',
  },
  money_sent: {
    safe: false,
    en: 'The money was sent to you. Please check your account.',
    sw: 'Pesa zimetumwa kwako. Tafadhali angalia akaunti yako.',
  },
  money_unknown: {
    safe: false,
    en: 'We do not know yet whether the money reached you. Check your account; the sender must not send it again yet.',
    sw: 'Bado hatujui kama pesa zimekufikia. Angalia akaunti yako; mtumaji asizitume tena kwa sasa.',
  },
  money_not_sent: {
    safe: true,
    en: 'The money was not sent. Please ask the sender.',
    sw: 'Pesa hazikutumwa. Tafadhali muulize mtumaji.',
  },
  check_recipient: {
    safe: true,
    en: 'This number or account cannot receive the money. Please give the sender another one.',
    sw: 'Nambari au akaunti hii haiwezi kupokea pesa hizi. Tafadhali mpe mtumaji nyingine.',
  },
  receive_less: {
    safe: true,
    en: 'Your account cannot receive this much now. Please ask your network; the sender can then send the money again.',
    sw: 'Akaunti yako haiwezi kupokea kiasi hiki kwa sasa. Tafadhali wasiliana na mtandao wako; kisha mtumaji anaweza kutuma pesa tena.',
  },
  money_came_back: {
    safe: true,
    en: 'The money went back to the sender. Please ask the sender to send it again.',
    sw: 'Pesa zimerudi kwa mtumaji. Tafadhali mwombe azitume tena.',
  },
  // A refund, told to the customer.
  refund_on_its_way: {
    safe: false,
    en: 'Your refund is on its way. Please wait.',
    sw: 'Pesa unazorudishiwa ziko njiani. Tafadhali subiri.',
  },
  refund_done: {
    safe: false,
    en: 'Your money has been sent back. Please check your account.',
    sw: 'Umerudishiwa pesa zako. Tafadhali angalia akaunti yako.',
  },
  refund_unknown: {
    safe: false,
    en: 'We do not know yet whether your refund reached you. Please check your account, and ask the seller.',
    sw: 'Bado hatujui kama pesa ulizorudishiwa zimekufikia. Tafadhali angalia akaunti yako, na umuulize muuzaji.',
  },
  refund_failed: {
    safe: true,
    en: 'The refund did not go through. Please ask the seller.',
    sw: 'Pesa hazikurudishwa. Tafadhali muulize muuzaji.',
  },
} as const satisfies Record<string, Sentences>;

export type NextStep = keyof typeof nextSteps;

/** As an answer tells it. */
export interface NextStepTold {
  next_step: { code: NextStep; en: string; sw: string; safe_to_repeat: boolean };
}
