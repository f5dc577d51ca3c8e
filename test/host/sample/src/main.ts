import { greet } from './greet.ts';
import { add, complete, remaining } from './todo.ts';

let list = add([], 'write the report');
list = add(list, 'water the plants');
list = add(list, 'call the bank');
list = complete(list, 'write the report');

console.log(greet('Ada'));
console.log(`${remaining(list)} of ${list.length} things are left.`);
