// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms with loops against reference values: Andrews' squeezer at 0 and 0.03 s including multipliers (IVP test
// set); velocities and accelerations of linkages and ladders on fixed and moving bases. Every formulation that
// supports loops must reproduce them.
#include "fixture.h"

// ---- dependent velocities and accelerations at the start

typedef struct rate {
    const char* joint;
    int         axis;
    double      v, a;
} rate;

static const rate four_bar[] = {
    {"A", 0, 1.0, -5.62620063147659},
    {"B", 0, -1.0456980339539752, 6.125067146805655},
    {"C", 0, 0.668751716399633, -3.7295514909403815},
    {"D", 0, -0.6230536824456583, 3.2306849756113185},
};
static const rate five_bar_redundant[] = {
    {"a1", 0, 0.7, -11.172653841531066},
    {"b1", 0, -0.4, 13.145586924949484},
    {"e2", 0, 0.6909623729832532, -9.427192290457032},
    {"b2", 0, -1.6612846010249147, 15.977336617002704},
    {"a2", 0, 0.6703222280416615, -8.523077409964095},
    {"e3", 0, -1.0181327301853298, -5.348570144217512},
    {"b3", 0, -0.8244755785206175, 10.404790871910686},
    {"a3", 0, 1.5426083087059475, -7.029153811111591},
};
static const rate six_bar[] = {
    {"l.A", 0, 1.0, -6.299959290594272},
    {"l.B", 0, -1.0456980339539752, 6.829615252004474},
    {"l.C", 0, 0.6687517163996328, -4.180128750664445},
    {"l.D", 0, -0.6230536824456583, 3.650472789254244},
    {"l.P", 0, 0.575862668375718, -3.190544232966344},
    {"l.R", 0, -0.8853436061542757, 5.231092235226026},
    {"l.Q", 0, 0.9782326541781904, -6.220676752924127},
    {"l.S", 0, 0.7, -9.465596806090852},
};
static const rate six_bar_moving[] = {
    {"base", 0, 0.5, 0.2841697585762134},
    {"l.A", 0, 1.0, -6.782839328909071},
    {"l.B", 0, -1.0456980339539759, 7.334561958705886},
    {"l.C", 0, 0.668751716399633, -4.503055605102585},
    {"l.D", 0, -0.6230536824456582, 3.95133297530577},
    {"l.P", 0, 0.5758626683757186, -3.4686168203356735},
    {"l.R", 0, -0.8853436061542761, 5.658606989687562},
    {"l.Q", 0, 0.9782326541781914, -6.693045774454471},
    {"l.S", 0, 0.7, -9.217983094427735},
};
static const rate ladder_1[] = {
    {"l.top0", 0, 0.6, -6.810741769217528},  {"l.top0", 1, -0.8, -6.407160898925692},
    {"l.left1", 0, 0.8, 6.4071608989256905}, {"l.right1", 0, -0.8, -6.407160898925691},
    {"l.top1", 1, -0.8, -6.407160898925693}, {"l.top1", 0, 0.6, -6.810741769217534},
};
static const rate ladder_slider[] = {
    {"base", 0, 0.2, -2.6342772057360455},     {"l.top0", 0, 0.6, -6.752133794399628},
    {"l.top0", 1, -0.8, -9.656176002585665},   {"l.left1", 0, 0.8, 9.656176002585674},
    {"l.right1", 0, -0.8, -9.656176002585676}, {"l.top1", 1, -0.8, -9.656176002585672},
    {"l.top1", 0, 0.6, -6.752133794399633},    {"l.left2", 0, 0.8, 9.65617600258567},
    {"l.right2", 0, -0.8, -9.656176002585681}, {"l.top2", 1, -0.8, -9.656176002585683},
    {"l.top2", 0, 0.6, -6.752133794399636},
};

static void check_rates(fixture* f, const double* a, int n, const rate* rates)
{
    for (int i = 0; i < n; ++i) {
        double    q[7], v[6], joint_a[6];
        const int j = fixture_joint(f, rates[i].joint);
        cardan_data_joint_state(f->data, j, q, v);
        cardan_data_joint_acceleration(f->data, j, a, joint_a);
        CHECK_NEAR(v[rates[i].axis], rates[i].v, 1e-10);
        CHECK_NEAR(joint_a[rates[i].axis], rates[i].a, 1e-10);
    }
}

// Assemble the start of a model and compute its accelerations a (up to 400).
static bool begin(fixture* f, const char* path, const char* formulation, const cardan_parameter_setting* setting,
                  double* a)
{
    const bool good = fixture_open(f, path, formulation, setting ? 1 : 0, setting) &&
                      cardan_data_assemble(f->data, NULL, NULL, NULL, NULL, &f->report) == CARDAN_OK &&
                      cardan_data_accelerate(f->data, a, NULL, &f->report) == CARDAN_OK;
    CHECK(good && f->m.nv <= 400);
    if (!good && f->report.count) printf("%s\n", f->report.message[f->report.count - 1].text);
    return good;
}

static void test_state(const char* path, const char* formulation, const cardan_parameter_setting* setting, int n,
                       const rate* rates)
{
    fixture f;
    double  a[400];
    if (begin(&f, path, formulation, setting, a)) check_rates(&f, a, n, rates);
    fixture_close(&f);
}

// A ladder of L cells has a closed form for any length, with A = sum of m l^2/3 + mr h^2, C = sum of m l/2 + mr h.
static void test_ladder(const char* formulation, int L, double roll_a, double swing_a)
{
    const double A = (L + 1) / 3.0 + 0.3 * 0.64 * L, C = (L + 1) / 2.0 + 0.3 * 0.8 * L, w2 = 9.81 * C / A;
    const double roll  = 2 * tan(0.5) * 0.6 * -0.8 - w2 * sin(0.4) / cos(0.5);
    const double swing = -sin(0.5) * cos(0.5) * 0.36 - w2 * cos(0.4) * sin(0.5);
    char         n[12], top[32], left[32], right[32];
    fixture      f;
    double       a[400];
    CHECK_NEAR(roll, roll_a, 1e-10);
    CHECK_NEAR(swing, swing_a, 1e-10);
    snprintf(n, sizeof n, "%d", L);
    if (begin(&f, "models/ladder", formulation, &(cardan_parameter_setting){"n", n}, a)) {
        CHECK(f.m.nv == (strcmp(formulation, "lagrange") == 0 ? 6 * (2 * L + 1) : 3 * L + 2));
        for (int i = 1; i <= L; ++i) {
            snprintf(top, sizeof top, "l.top%d", i);
            snprintf(left, sizeof left, "l.left%d", i);
            snprintf(right, sizeof right, "l.right%d", i);
            check_rates(
                &f, a, 4,
                (const rate[]){
                    {top, 0, 0.6, roll}, {top, 1, -0.8, swing}, {left, 0, 0.8, -swing}, {right, 0, -0.8, swing}});
        }
    }
    fixture_close(&f);
}

// The base has six degrees of freedom; the reference describes its orientation by rotations a, b, c about x, y, z,
// whose rates give the angular velocity in body axes, w = E(b, c) (a', b', c').
static void test_ladder_free(const char* formulation)
{
    static const double translation[3] = {0.034376558582259076, 0.08150994240888965, -9.837083330796315};
    static const double rotation[3]    = {0.2004327061711672, -0.03201849148066316, -0.09642394137334459};
    static const rate   cells[]        = {
                 {"l.top0", 0, 0.6, -1.4472462891988267},  {"l.top0", 1, -0.8, -0.7144815247102844},
                 {"l.left1", 0, 0.8, 0.7144815247102869},  {"l.right1", 0, -0.8, -0.7144815247102859},
                 {"l.top1", 1, -0.8, -0.7144815247102845}, {"l.top1", 0, 0.6, -1.4472462891988287},
                 {"l.left2", 0, 0.8, 0.7144815247102854},  {"l.right2", 0, -0.8, -0.7144815247102846},
                 {"l.top2", 1, -0.8, -0.7144815247102843}, {"l.top2", 0, 0.6, -1.447246289198827},
    };
    const double b = 0.5, c = 0.3, da = -0.1, db = -0.2, dc = 0.7;
    const double E[3][3]  = {{cos(b) * cos(c), sin(c), 0}, {-cos(b) * sin(c), cos(c), 0}, {sin(b), 0, 1}};
    const double dE[3][2] = {{-sin(b) * cos(c) * db - cos(b) * sin(c) * dc, cos(c) * dc},
                             {sin(b) * sin(c) * db - cos(b) * cos(c) * dc, -sin(c) * dc},
                             {cos(b) * db, 0}};
    fixture      f;
    double       a[400], base[6];
    if (begin(&f, "models/ladder_free", formulation, NULL, a)) {
        cardan_data_joint_acceleration(f.data, fixture_joint(&f, "base"), a, base);
        for (int i = 0; i < 3; ++i) {
            CHECK_NEAR(base[i], translation[i], 1e-10);
            CHECK_NEAR(base[3 + i],
                       E[i][0] * rotation[0] + E[i][1] * rotation[1] + E[i][2] * rotation[2] + dE[i][0] * da +
                           dE[i][1] * db,
                       1e-10);
        }
        check_rates(&f, a, (int)(sizeof cells / sizeof *cells), cells);
    }
    fixture_close(&f);
}

// ---- Andrews' squeezer

// Coordinates, rates, accelerations and multipliers of the test set. The multipliers satisfy M q'' + G' lambda = f with
// rows G of E on K2 minus E on K3, K4, K6; so -lambda acts on K2 and +lambda on the other body, the second of the joint
// in the model: the reaction. Values at the start, published with 30 digits, and at 0.03 s (recomputed; the
// published values are accurate to about eight digits).
typedef struct squeezer {
    double q[7], v[7], a[7], lambda[6];
} squeezer;

static const char* const squeezer_joint[7] = {"O", "F", "B", "G", "A5", "H", "A7"};
static const double      squeezer_angle[7] = {
         -0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550, -0.222668390165885885,
         1.23054744454982119};

// Check relative to the expected value, or to `least` if that is larger.
static void check_relative(double value, double expected, double tolerance, double least)
{
    CHECK_NEAR(value / fmax(fabs(expected), least), expected / fmax(fabs(expected), least), tolerance);
}

static void check_squeezer(fixture* f, const squeezer* s, double tolerance)
{
    double          a[42], q, v, joint_a;
    cardan_reaction reaction[10];
    CHECK(cardan_data_accelerate(f->data, a, NULL, &f->report) == CARDAN_OK);
    CHECK(cardan_data_reactions(f->data, a, reaction) == CARDAN_OK);
    for (int i = 0; i < 7; ++i) {
        const int j = fixture_joint(f, squeezer_joint[i]);
        cardan_data_joint_state(f->data, j, &q, &v);
        cardan_data_joint_acceleration(f->data, j, a, &joint_a);
        check_relative(q + squeezer_angle[i], s->q[i], tolerance, 0.01);
        check_relative(v, s->v[i], tolerance, 0.01);
        check_relative(joint_a, s->a[i], tolerance, 1);
    }
    static const char* const E[3] = {"E3", "E4", "E6"};
    for (int i = 0; i < 6; ++i)
        check_relative(reaction[fixture_joint(f, E[i / 2])].force[i % 2], s->lambda[i], tolerance, 1);
}

static void test_squeezer(const char* formulation)
{
    static const squeezer start = {{-0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885,
                                    0.487364979543842550, -0.222668390165885885, 1.23054744454982119},
                                   {0},
                                   {14222.4439199541138706, -10666.8329399655854029},
                                   {98.5668703962410896, -6.12268834425566266}};
    static const squeezer end   = {
          {15.810771195153707, -15.756371058411839, 0.0408222401196458, -0.5347301163420796, 0.524409965879954,
           0.5347301163420796, 1.048080741041938},
          {1139.9203022591062, -1424.3792951775401, 11.032911910618594, 19.29337410503204, 0.5735699148295025,
           -19.29337410503204, 0.3231791492491309},
          {-24631.763122874636, 51850.31963646423, 324102.6007075786, 566749.4220009954, 16743.635418345446,
           -566749.4220009954, 9826.507801544163},
          {199.17534810453864, -29.755309974971762, 23.06654361162215, 31.452725275771137, 22.64249478639438,
           11.617392352611256},
    };
    fixture             f;
    cardan_run_summary  summary;
    cardan_run_settings run = cardan_run_default();
    run.integrator          = cardan_integrator_find("dopri5");
    run.end = run.output_interval = 0.03;
    run.tolerance                 = 1e-12;
    if (fixture_open(&f, "models/andrews_squeezer", formulation, 0, NULL)) {
        check_squeezer(&f, &start, 1e-9);
        CHECK(cardan_simulate(f.data, &run, &summary, &f.report) == CARDAN_OK);
        check_squeezer(&f, &end, 1e-8);
    }
    fixture_close(&f);
}

#define STATE(path, table) RUN(test_state("models/" path, name, NULL, (int)(sizeof table / sizeof *table), table))

static bool supports_loops(const char* formulation)
{
    fixture    f;
    const bool supported = fixture_open(&f, "models/four_bar", formulation, 0, NULL);
    CHECK(supported || f.status == CARDAN_UNSUPPORTED);
    fixture_close(&f);
    return supported;
}

int main(void)
{
    for (int i = 0; i < cardan_formulation_count(); ++i) {
        const char* name = cardan_formulation_name(i);
        if (!cardan_formulation_is_exact(i) || !supports_loops(name)) continue;
        STATE("four_bar", four_bar);
        STATE("five_bar_redundant", five_bar_redundant);
        STATE("six_bar", six_bar);
        STATE("six_bar_moving", six_bar_moving);
        STATE("ladder_slider", ladder_slider);
        RUN(test_state("models/ladder", name, &(cardan_parameter_setting){"n", "1"},
                       (int)(sizeof ladder_1 / sizeof *ladder_1), ladder_1));
        RUN(test_ladder_free(name));
        RUN(test_ladder(name, 1, -6.810741769217528, -6.407160898925692));
        RUN(test_ladder(name, 2, -6.752133794399634, -6.348838167976034));
        RUN(test_ladder(name, 3, -6.725776576674266, -6.3226092303143));
        RUN(test_ladder(name, 10, -6.680069764265556, -6.277124872068625));
        RUN(test_squeezer(name));
    }
    CHECK(supports_loops("dense") && supports_loops("lagrange"));
    return test_end();
}
