import { describeRail } from './describe-rail';

describeRail('stk');
