import { describeRail } from './describe-rail';

describeRail('momo');
