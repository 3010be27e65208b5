package io.understudy.terminal;

/** A report: a subcommand of {@code understudy report}, found as a {@link Subcommand} is. */
public interface ReportSubcommand {}
