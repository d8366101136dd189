import { describeRail } from './describe-rail';

describeRail('walletpay');
