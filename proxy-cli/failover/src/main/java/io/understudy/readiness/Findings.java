package io.understudy.readiness;

/**
 * Makes the findings of one check.
 *
 * @param check its name
 */
record Findings(String check) {
    Finding blocks(String subject, String what, String why, String statement) {
        return of(subject, Severity.BLOCKS, true, what, why, statement);
    }

    Finding warns(String subject, String what, String why, String statement) {
        return of(subject, Severity.WARNS, false, what, why, statement);
    }

    /** Returns what blocks, or only warns. */
    Finding either(boolean blocks, String subject, String what, String why, String statement) {
        return blocks ? blocks(subject, what, why, statement) : warns(subject, what, why, statement);
    }

    Finding unknown(String subject, String what, String why, String statement) {
        return of(subject, Severity.UNKNOWN, false, what, why, statement);
    }

    /** Returns an unknown without which nobody can say whether the standby may be promoted. */
    Finding undecided(String subject, String what, String why, String statement) {
        return of(subject, Severity.UNKNOWN, true, what, why, statement);
    }

    /** Returns an undecided finding about a fact of one server that could not be read. */
    Finding unread(String subject, String fact, boolean ofStandby, Known<?> unread, String why) {
        String what = "the " + fact + " of the " + (ofStandby ? "standby" : "primary") + " cannot be read: "
                + unread.reason();
        return undecided(subject, what, why, unread.statement());
    }

    Finding of(String subject, Severity severity, boolean decides, String what, String why, String statement) {
        return new Finding(check, subject, severity, decides, what, why, statement);
    }
}
