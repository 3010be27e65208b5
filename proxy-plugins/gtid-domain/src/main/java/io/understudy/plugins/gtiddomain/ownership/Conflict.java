package io.understudy.plugins.gtiddomain.ownership;

import java.util.Locale;

/** Ways in which a table is written, or nearly written, from two domains. */
public enum Conflict {
    /** The write followed the domain that still owned its table. */
    PINNED,
    /** One statement's tables were owned by different domains; it went to the default domain. */
    TWO_DOMAINS,
    /** A statement whose tables are unknown ran while another domain owned some table. */
    UNKNOWN_TABLES,
    /** A transaction wrote a table that another domain still owned, when its own domain could no longer change. */
    TRANSACTION,
    /** A statement that no injected statement may precede (it was pipelined, or reads diagnostics) did so. */
    NO_BOUNDARY,
    /** A session whose domain cannot be set did so: no privilege, or its client sets the variable itself. */
    UNSTEERABLE,
    /** With {@code guard: warn}, the rule's domain was set although another one still owned the table. */
    WRITTEN_ANYWAY,
    /** The server refused the domain, and the statement ran in the session's old one. */
    REFUSED,
    /**
     * The binary log contains a write of the table in one domain, while another one owned it, that no statement through
     * the proxy had announced: by a trigger or procedure whose text was not readable, by a direct connection, by an
     * event.
     */
    UNSEEN;

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether replicas may apply the writes in another order than the primary. */
    public boolean unsafe() {
        return this != PINNED;
    }
}
