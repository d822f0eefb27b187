package rank

import (
	"sync"

	"github.com/satchel-dev/satchel/internal/text/terms"
)

// Smalltalk reports whether a term is a word that people say to anybody about
// anything, or to an agent about any work: it says nothing about a repository,
// however rare it is there.
func Smalltalk(term uint64) bool { return smalltalkTerms()[term] }

var smalltalkTerms = sync.OnceValue(func() map[uint64]bool {
	set := make(map[uint64]bool, 1500)
	var a terms.Analyzer
	a.Each([]byte(smalltalk), func(h uint64) { set[h] = true })
	return set
})

// smalltalk holds frequent words of spoken English, besides stop words and those
// that are names of things in programs; and, at the end, what is said to an agent
// in any project.
const smalltalk = `
able about above accept across act actually add advice afraid after afternoon again against age ago agree ahead alive all allow almost alone along
already alright also although always amazing among animal another answer any anybody anymore anyone anything anyway anywhere apart apologize apparently
appear appreciate around arrive ask asleep assume attention aunt autumn away awesome awful baby back bad beach bear beat beautiful because become bed
before begin behind believe belong below beside best bet better between beyond bicycle big bird birthday bit blame bless blood blue boat body book bored
born both bother bottom boy brave bread breakfast breath brief bright bring brother brown budget busy but buy bye cake call calm came camera can cannot
capital car card care careful carefully carry cat catch cause celebrate center certain certainly chair chance cheap cheer chicken child children choose city clean clear
clearly clever climb close clothes cloud coffee cold color come comfort common compare complain completely concern confirm confuse congratulations
consider continue conversation cook cool correct cost could country couple course cousin crazy cry cup curious cute dad dance dangerous dare dark
daughter day dead deal dear death decide deep definitely degree describe deserve desk despite detail die difference different difficult dinner dirty
disagree discuss doctor dog done door doubt down dream dress drink drive drop dry during each ear early earth easily east easy eat education effort
eight either eleven else email encourage end enjoy enough entire especially even evening ever every everybody everyone everything everywhere exact
exactly example excellent except excited excuse exercise expect expensive experience explain explanation eye face fact fair fall familiar family famous far
farm fast fat father favor favorite fear feel feeling few fifteen fight figure final finally find fine finger finish fire first fish five flight floor
flower fly follow food foot football forever forget forgive forgot forgotten form forward four france free french fresh friday friend friendly from front fruit full fun funny
further future game garden gave general gentle german germany get gift girl give glad glass go goal god going gold gone good goodbye got grandma grass
gray great green ground group grow guess guest guy haiku hair half hand handle happen happy hard hardly hat hate head health hear heart heat
heating heavy hello help her here hero herself hey high hill him himself his history hit hobby hold holiday home honest hope horse hospital hot hotel hour house how however
huge human hundred hungry hurry hurt husband ice idea if ignore ill imagine immediately important impossible impress improve indeed inside instead intend interest
interesting into introduce invite island jacket job joke journey joy july june jump just keep kid kill kind kitchen knew knife know knowledge lady lake
land landlord language large last late later laugh law lazy lead leaf learn least leave left leg less let letter lie life light like likely line lip listen little live
lonely long look looks lose lost lot loud love low luck lucky lunch machine mad made magic mail main make makes man many march market married matter maybe meal mean meaning
meant meat meet member mention merry mess middle might mile milk million mind mine minute miss mistake modern mom moment monday money month mood moon more morning
most mother mountain mouth move movie much mum music must myself name nation nature near nearly necessary neck need neither nervous never new news next nice
night nine nobody noise none noon nor normal north nose not nothing notice now number obvious obviously occur ocean odd of off offer office often oh okay ok old once
one only open opinion opportunity option or orange order ordinary other otherwise ought our out outside over own page pain paint pair paper pardon parent
park part party past patient pay peace pen pencil people perfect perfectly perhaps period person personal phone photo piece pink place plan plane plant plate play please
pleased pleasure plenty pocket poem poet poetry point police polite poor popular possible possibly potato pound practice prefer pregnant prepare present pretty price probably problem
promise proper properly proud prove public pull purple purpose push put quality question quick quickly quiet quite rain raise ran rather reach read ready real realize
really reason recent recently recipe recommend red regret relax remember remind rent repeat reply rest restaurant return rice rich ride right ring rise river road rock roll rome room
round rule run sad safe said sail salt same sand sat saturday save saw say scared school science sea season seat second secret see seem seen self sell send sense sentence
serious seriously set seven several shall shape share she shine ship shirt shoe shop short shorter should shoulder shout show shower shut sick side sight sign silence silly
similar simple simpler simply since sing single sir sister sit situation six size skin skip sky sleep slow slowly small smart smell smile snow so soft some somebody somehow someone
something sometimes somewhere son song soon sorry sort soul sound soup south space speak special spend spoke spoon sport spring stand star start state station stay still stone stop
story straight strange street strong student study stuff stupid style subject success such sudden sugar suggest suggestion summarize summary summer sun sunday sunny support suppose sure
surprise sweet swim table take talk tall taste tea teach teacher team tell ten tend terrible than thank thanks that the their them themselves then there these they thick
thin thing things think third thirsty this those though thought thousand three through throw thursday thus ticket till time tiny tip tired title to today together tomorrow tonight
too took tooth top topic total touch tour toward towards town train translate travel treat tree tries trip trouble truck true truly trust truth try tuesday turn twelve twenty twice two
type ugly uncle under understand unfortunately university unless until up upon upset upstairs us use used useful usual usually vacation very village visit voice wait wake walk
wall want war warm was wash watch water way we weak wear weather wednesday week weekend weird welcome well went were west wet what whatever when whenever where wherever whether
which while white who whole whom whose why wide wife wild will win wind window winter wise wish with within without woman wonder wonderful wood word work works world worried
worry worse worst worth would write wrong wrote year yellow yes yesterday yet you young your yours yourself zero
again approach approaches branch bump check changes code commit commits correct did diff do edit error errors everything explain file files fix fixed fixes implement implementation issue issues
hm lgtm merge message messages overview push rebase release rerun revert result results retry review rewrite step steps task tasks test tests testing todo undo update verify version working
`
