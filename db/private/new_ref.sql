-- A name for a session that is easy to read out, e.g. calm-otter-17. The number grows when names get scarce.
create or replace function parley_private.new_ref()
returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  v_adjectives constant text[] := '{agile,amber,ample,apt,bold,brave,breezy,bright,brisk,calm,candid,cheery,civil,clear,clever,cosmic,cozy,crisp,dapper,daring,deft,eager,early,easy,fair,fancy,fast,fine,firm,fleet,fond,frank,free,fresh,gentle,glad,golden,good,grand,handy,happy,hardy,honest,humble,ideal,jolly,jovial,keen,kind,lively,loyal,lucid,lucky,mellow,merry,mild,modest,neat,nimble,noble,open,patient,placid,plucky,polite,prime,proud,quick,quiet,rapid,ready,robust,rosy,sage,sharp,shiny,silent,silver,smart,smooth,snappy,solid,sound,spry,steady,stout,sturdy,sunny,swift,tidy,true,trusty,vivid,warm,wise,witty,zesty}';
  v_animals constant text[] := '{alpaca,badger,bear,beaver,bison,bobcat,camel,caribou,cat,civet,cobra,condor,cougar,coyote,crane,cricket,deer,dingo,dolphin,dove,duck,eagle,egret,elk,falcon,ferret,finch,fox,gazelle,gecko,gibbon,goose,grouse,gull,hare,hawk,heron,hippo,horse,ibex,ibis,iguana,impala,jackal,jaguar,jay,kestrel,kiwi,koala,lark,lemur,leopard,lion,lizard,llama,lynx,magpie,marmot,marten,mole,moose,newt,ocelot,orca,oriole,osprey,otter,owl,panda,panther,parrot,pelican,penguin,pigeon,plover,puffin,puma,quail,rabbit,raven,robin,salmon,seal,shark,sparrow,squid,stork,swan,tapir,tern,tiger,toucan,trout,turtle,walrus,weasel,whale,wolf,wombat,wren,yak,zebra}';
  v_ref text;
  v_numbers integer := 90;
begin
  loop
    v_ref := v_adjectives[1 + floor(random() * cardinality(v_adjectives))]
      || '-' || v_animals[1 + floor(random() * cardinality(v_animals))]
      || '-' || (10 + floor(random() * v_numbers))::integer;
    exit when not exists (select from parley.sessions s where s.ref = v_ref);
    v_numbers := least(v_numbers * 10, 90000000);
  end loop;
  return v_ref;
end;
$$;
