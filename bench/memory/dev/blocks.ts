/** Code, letters, tables and recipes, as an assistant writes them. */
export const BLOCKS: readonly string[] = [
  "```python\ndef load_{ident}(path):\n    with open(path) as handle:\n        for line in handle:\n            {ident2} = line.strip().split(',')\n            if not {ident2}:\n                continue\n            yield {ident2}\n\nfor {ident} in load_{ident}('data.csv'):\n    print({ident})\n```\nThis reads one {ident} at a time, so memory stays low.",
  "```js\nconst {ident} = new Map();\nfor (const {ident2} of list) {\n  const key = {ident2}.name.toLowerCase();\n  {ident}.set(key, ({ident}.get(key) ?? 0) + 1);\n}\nconsole.log([...{ident}].sort((a, b) => b[1] - a[1]));\n```\nIt counts how often each name occurs.",
  "```sql\nSELECT {ident}_id, count(*) AS total\nFROM {ident2}s\nWHERE created_at > now() - interval '7 days'\nGROUP BY {ident}_id\nORDER BY total DESC\nLIMIT 20;\n```\nAdd an index on created_at if the table is large.",
  '```sh\nset -euo pipefail\nfor file in *.txt; do\n  cp "$file" "backup/{ident}-$file"\ndone\n```\nRun it once with echo in front of cp.',
  "Dear Sir or Madam,\n\nI am writing about the {thing}. As agreed, I expected it within {time}, but I have not heard from you since. Please let me know by Friday how you would like to proceed.\n\nKind regards",
  "Hi all,\n\na quick word on the {thing}: it is {adj}, it will take {time}, and it costs {amount}. Shout if that does not work for you.\n\nBest",
  "| step | what | cost |\n| --- | --- | --- |\n| 1 | {verb} the {noun} | {amount} |\n| 2 | {verb2} the {thing} | {amount2} |\n| 3 | wait for {time} | nothing |",
  "| option | good | bad |\n| --- | --- | --- |\n| {adj} {thing} | lasts | {amount} |\n| {adj2} {thing2} | light | {amount2} |\n| none | free | {adj3} |",
  "**Ingredients:** 300 g flour, 2 eggs, 120 ml milk, 80 g sugar, one lemon, a knob of butter.\n**Method:** mix the dry things, add the wet ones, rest for {time}, bake at 180 °C until golden.",
  "**You need:** two onions, a tin of tomatoes, 250 g lentils, cumin, stock, a handful of parsley.\n**How:** fry, pour, simmer for {time}, taste, serve with a {adj} bread.",
  "Morning: {verb} the {noun}. Noon: a {adj} walk and a {noun2}. Afternoon: {thing}, no more than {time}. Evening: {verb2} what is left and go to bed early.",
  "Day 1: arrive, {verb} the {noun}. Day 2: the {adj} part, start early. Day 3: rest, {verb2} the {thing}. Day 4: the way back.",
  "There once was a {noun} so {adj}\nthat nobody cared for its {noun2};\nit stood in the hall\nwith its back to the wall\nand waited for {time}, or so.",
  "**Pros**\n- it is {adj}\n- you can {verb} it within {time}\n- under {amount}\n\n**Cons**\n- needs a {adj2} {noun}\n- hard to {verb2} later",
  "Q: What if the {thing} is {adj}?\nA: {verb} it, wait for {time}, and look again.\nQ: And if that does not help?\nA: Then the {noun} is to blame.",
];
