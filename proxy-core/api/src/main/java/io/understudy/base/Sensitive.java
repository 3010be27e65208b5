package io.understudy.base;

/** Marks a value type whose text is never shown: not in a problem, not in an excerpt, not in a schema's default. */
public interface Sensitive {}
