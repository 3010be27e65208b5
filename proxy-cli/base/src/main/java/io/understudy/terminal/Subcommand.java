package io.understudy.terminal;

/**
 * A command of the program. {@link java.util.ServiceLoader} finds it, so that the program knows no module by name: the
 * module names the class, which has a public constructor without parameters and picocli's annotations, in
 * {@code META-INF/services}.
 */
public interface Subcommand {}
