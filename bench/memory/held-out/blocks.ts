/** Code, letters, tables and menus, as an assistant writes them. Not to be read by whoever works on a search. */
export const BLOCKS: readonly string[] = [
  '```go\nfunc merge(in []{token}, out chan<- {token2}) error {\n\tfor i := range in {\n\t\tif in[i].Empty() {\n\t\t\treturn fmt.Errorf("{token} %d is empty", i)\n\t\t}\n\t\tout <- in[i].Next()\n\t}\n\treturn nil\n}\n```\nThe channel closes where it was made.',
  "```ruby\n{token}s = File.readlines('input.txt').map(&:chomp)\ngrouped = {token}s.group_by { |one| one.length }\ngrouped.each { |size, found| puts [size, found.count].join(': ') }\n```\nGrouping by length is enough here.",
  "```css\n.{token} {\n  display: grid;\n  gap: 1rem;\n  grid-template-columns: repeat(auto-fill, minmax(12rem, 1fr));\n}\n.{token2}:hover {\n  outline: 2px solid;\n}\n```\nNo script is required for that.",
  '```\n=IFERROR(INDEX({token}_range, MATCH(A2, {token2}_range, 0)), "none")\n```\nFill it down and sort afterwards.',
  "To whom it may concern,\n\nregarding the {thing}: despite {count} reminders nothing has happened in {span}. I expect a reply in writing and reserve further steps.\n\nYours faithfully",
  "Dear neighbours,\n\nthe {thing} returns on Saturday. It will be {trait}, it will last {span}, and {cash} would be welcome as a contribution.\n\nCheers",
  "| phase | task | budget |\n| --- | --- | --- |\n| A | {act} the {object} | {cash} |\n| B | {act2} the {thing} | {cash2} |\n| C | let it be for {span} | – |",
  "| candidate | in favour | against |\n| --- | --- | --- |\n| {trait} {thing} | sturdy frame | {cash} |\n| {trait2} {thing2} | compact | {cash2} |\n| do nothing | peace | {trait3} |",
  "**Shopping:** 400 g potatoes, a leek, thyme, cream, nutmeg, stale bread.\n**Procedure:** slice, layer, pour, cover, wait for {span}, brown under the grill.",
  "**Larder:** chickpeas, tahini, garlic, chilli, coriander, yoghurt.\n**Procedure:** roast, mash, loosen with water, chill for {span}, eat with a {trait} cracker.",
  "06:30 {act} the {object}; 10:00 a {trait} errand; 13:00 nap; 15:00 {thing}, at most {span}; 20:00 {act2} whatever remains.",
  "Stage one: unload, {act} the {object}. Stage two: the {trait} stretch. Stage three: pause, {act2} the {thing}. Stage four: homeward.",
  "O {object}, so {trait} and tall,\nyou lean on my {object2}'s wall;\nthe swallows have flown,\nI am left here alone\nwith {count} of you in the hall.",
  "**For**\n+ it is {trait}\n+ you can {act} it in {span}\n+ cheaper than {cash}\n\n**Against**\n+ wants a {trait2} {object}\n+ tiring to {act2}",
  "If the {thing} turns {trait}: {act} it, pause for {span}, inspect. If it stays so: suspect the {object}.",
];
