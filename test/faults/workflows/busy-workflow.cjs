/** Workflow code that is at work for as long as the test asks for. */
exports.busy = async (rounds) => {
  let sum = 0;
  for (let round = 0; round < rounds; round += 1) sum = (sum + round) % 1_000_003;
  return sum;
};
