// lexicon.ts: lists about water, about money and of little words, which decide where a typed sentence's words start.
export const lexicon = {
  water:
    "river rivers water waters lake lakes sea seas ocean oceans stream streams brook pond rain rains rained flood floods " +
    "flooded mud muddy wet swim swims swam swimming fish fishes fished fishing fisherman boat boats ship ships sail sails " +
    "sailed shore shores sand beach wave waves tide tides canoe reed reeds otter otters duck ducks frog frogs ferry bridge " +
    "island harbour delta mist foam swamp stone stones grass picnic",
  money:
    "money cash coin coins loan loans lend lends lent lender borrow borrowed debt debts credit cheque check account " +
    "accounts save saves saved savings rate rates interest pay pays paid payment price prices cost costs rich poor gold " +
    "silver dollar dollars euro euros pound pounds vault safe clerk cashier robber robbers robbed market shop shops bought " +
    "buy buys sell sold bill bills budget tax taxes wage wages office banker teller",
  little:
    "the a an of to in on at by for from with and or but so as is are was were be been am do does did has have had it its " +
    "this that these those i me my we us our you your he him his she her they them their who what which there here not no " +
    "very too then than when where while after before over under near beside into out up down off again just will would can " +
    "could may might must shall should all some any each both",
};
