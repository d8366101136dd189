import { describeRail } from './describe-rail';

describeRail('xb/intasend');
