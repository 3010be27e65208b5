package io.understudy.plugins.mirror.warmth;

/**
 * Pages that one reference to a table read.
 *
 * @param name as the statement refers to the table: its alias, if it has one
 */
public record ReferencePages(String name, long pages) {}
