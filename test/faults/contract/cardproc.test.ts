import { describeRail } from './describe-rail';

describeRail('cardproc');
