/** The bundler joins the styles into one. */
declare module '*.css';
