package io.understudy.readiness;

import java.util.Locale;

/** What has a definition on a server that the gate compares by name and shape. */
enum DefinitionKind {
    SCHEMA("the schema", Severity.WARNS, "SHOW CREATE DATABASE %s"),
    TABLE("the table", Severity.WARNS, "SHOW CREATE TABLE %s"),
    COLUMNS("the columns of", "SHOW CREATE TABLE %s"),
    INDEXES("the indexes of", "SHOW CREATE TABLE %s"),
    FOREIGN_KEYS("the foreign keys of", "SHOW CREATE TABLE %s"),
    PARTITIONS("the partitions of", "SHOW CREATE TABLE %s"),
    SEQUENCES("the settings of the sequence", "SHOW CREATE SEQUENCE %s"),
    CHECK("the check constraint", Severity.BLOCKS, "SHOW CREATE TABLE of its table"),
    VIEW("the view", Severity.WARNS, "SHOW CREATE VIEW %s"),
    TRIGGER("the trigger", Severity.BLOCKS, "SHOW CREATE TRIGGER %s"),
    ROUTINE("the", Severity.WARNS, "SHOW CREATE %s"),
    EVENT("the event", Severity.WARNS, "SHOW CREATE EVENT %s"),
    SERVER("the server definition", Severity.WARNS, "SELECT * FROM mysql.servers"),
    LOADABLE_FUNCTION("the loadable function", Severity.WARNS, "SELECT * FROM mysql.func"),
    PLUGIN("the plugin", Severity.WARNS, "SHOW PLUGINS"),
    COMPONENT("the component", Severity.WARNS, "SELECT * FROM mysql.component"),
    TIME_ZONES("the tables of", Severity.WARNS, "SELECT COUNT(*) FROM mysql.time_zone_name");

    private final String words;
    private final Severity more;
    private final boolean ofTable;
    private final String show;

    /** A kind of which an object may be missing. */
    DefinitionKind(String words, Severity more, String show) {
        this.words = words;
        this.more = more;
        this.show = show;
        ofTable = false;
    }

    /** A part of a table: a table without it has an empty shape. */
    DefinitionKind(String words, String show) {
        this.words = words;
        this.show = show;
        more = Severity.BLOCKS;
        ofTable = true;
    }

    /** Returns the words in front of a name. */
    String words() {
        return words;
    }

    /** Returns the weight of an object that only the standby has. */
    Severity more() {
        return more;
    }

    /** Returns its name in the findings. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    boolean isOfTable() {
        return ofTable;
    }

    /** Returns the statement that shows a definition, for a quoted name. */
    String show(String name) {
        return show.replace("%s", name);
    }

    /** Returns whether statements name it by schema and name. */
    boolean isQualified() {
        return ordinal() < SERVER.ordinal();
    }
}
