/**
 * English function words. They are not indexed, unless they are written in capitals like an abbreviation.
 */
const FUNCTION_WORDS = new Set(
  `a about above after again all also am an and any are aren as at be because been before being below between both but by
  can cannot could couldn did didn do does doesn doing don down during each either else ever every few for from further
  get gets getting got had hadn has hasn have haven having he her here hers herself him himself his how i if in into is
  isn it its itself just ll let like me might mine more most much must my myself neither no nor not now of off on once
  only or other our ours ourselves out over own per please re same shall she should shouldn so some such than that the
  their theirs them themselves then there these they this those through to too under until up upon us ve very was wasn
  we were weren what whatever when where whether which while who whoever whom whose why will with within without won
  would wouldn yes yet you your yours yourself yourselves`.split(/\s+/),
);

/**
 * Words that only phrase a question: they ask, count, compare or order. As content words they would cost recall@5 0.013.
 */
const ASKING_WORDS = new Set(
  `anything ask asked asking chat chatted conversation conversations discuss discussed find happen happened know knew
  mention mentioned mentioning name named names recall remember remembered remind reminded said say saying something
  speak spoke talk talked talking tell telling thing things think told want wanted went give gave
  advise advised advice explain explained propose proposed recommend recommended suggest suggested show help
  altogether amount approximately around average count difference earlier earliest exact exactly first kind last later
  latest lie many number often pass passed recent recently roughly sort sum together total type
  current currently nowadays previous previously former formerly original originally
  second seconds minute minutes hour hours day days week weeks month months year years time times`.split(/\s+/),
);

export const isFunctionWord = (word: string): boolean =>
  FUNCTION_WORDS.has(word) ||
  (FUNCTION_WORDS.has(word.toLowerCase()) && (word.length === 1 || word !== word.toUpperCase()));

export const isAskingWord = (word: string): boolean => ASKING_WORDS.has(word.toLowerCase());
